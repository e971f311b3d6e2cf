/*
 * piped.h - the core's reader (base/target/memory.h) of a process that a debugger has, which is
 * asked over a pipe (wire.h) by a process beside it. The same answers as plugin/target_reader.h
 * gives inside of lldb; what of them needs the debugger's functions stands in
 * lldb_commands/engines/seen_by_lldb.py.
 */
#ifndef LOUPE_READERS_PIPED_H
#define LOUPE_READERS_PIPED_H

#include "base/target/memory.h"
#include "piped/region_map.h"
#include "piped/wire.h"

/* The names that registers were asked for by, in their order; those of the next thread are fetched
 * at once. */
enum { LOUPE_PIPED_MOST_NAMES = 96, LOUPE_PIPED_LONGEST_NAME = 16 };

struct loupe_piped_reader {
    struct loupe_wire *wire;
    struct loupe_machine machine;
    enum loupe_arch arch;            /* whatever the size of a pointer is */
    bool is_core, is_apple, is_here; /* as LOUPE_WIRE_IS_... */
    uint64_t kept_bits, set_bits;    /* of addresses, by their bit 55 */
    uint64_t process;
    char *program;
    struct loupe_region_map regions;
    struct loupe_range *file_parts;
    size_t file_part_count;
    bool has_file_parts;          /* that they were asked for */
    struct loupe_page_map *pages; /* pages.c's own; NULL: there is none */
    bool looked_for_pages;
    char names[LOUPE_PIPED_MOST_NAMES][LOUPE_PIPED_LONGEST_NAME];
    uint32_t name_count;
    bool are_known[LOUPE_PIPED_MOST_NAMES]; /* of the thread that was asked about last */
    uint64_t values[LOUPE_PIPED_MOST_NAMES];
    uint32_t thread, fetched; /* that thread, and how many of the names it was asked for */
};

/* By the body of TARGET. False: it makes no sense. The wire outlives the reader. */
bool loupe_piped_open(struct loupe_piped_reader *reader, struct loupe_wire *wire,
                      struct loupe_wire_body *body);
void loupe_piped_close(struct loupe_piped_reader *reader);
/* Another question begins: somebody may have written registers since the last one, and the debugger
 * mapped memory for an expression, which is no other stop. */
void loupe_piped_begin(struct loupe_piped_reader *reader);

/* With the reader as their ctx. */
extern const struct loupe_reader_ops loupe_piped_ops;

/* For loupe_memory.page_reads: a live process pays by the byte, a core file by the call. */
uint32_t loupe_piped_page_reads(const struct loupe_piped_reader *reader);

#endif
