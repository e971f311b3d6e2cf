/*
 * reader.h - a target that is opened without any debugger: a core file of ELF or Mach-O on any
 * host, on Linux also a running process.
 *
 * What is promised of an opened target:
 *  - loupe_reader_memory() is a loupe_memory as the core wants it (base/target/memory.h), with all
 * that a reader may offer: windows, regions, symbols, names and lines of code, images, sections,
 *    threads and their registers by LLDB's names (base/target/process.h).
 *  - It stands still until it is closed: a process does not run meanwhile, and runs on afterwards
 * as before, whatever happens to us.
 *  - Memory that a core does not have is taken from the files of its images, where they are there
 *    and of the same build; the rest is unreadable, and counted (loupe_reader_missing()).
 *  - Any bytes may stand in a core: it opens, or says why not. Nothing of it is believed that was
 *    not read.
 *
 * One target may be asked by one thread at a time.
 */
#ifndef LOUPE_READERS_READER_H
#define LOUPE_READERS_READER_H

#include "base/target/memory.h"
#include "image/dwarf/block_variables.h"
#include "image/dwarf/class_members.h"
#include "image/dwarf/closure_parameters.h"
#include "image/image.h"

struct loupe_reader;

/* The texts and chunks outlive the reader. */
struct loupe_reader_options {
    const struct loupe_chunk_ops *chunks;
    const char *program; /* the file of the executable; NULL: where the target says it is */
    const char *sysroot; /* NULL, or a folder below which files of images are looked for first */
    bool without_files; /* nothing is taken from files of this machine, whatever the target names */
    /* Microseconds that a process may stand still, about; 0: as long as it takes. When half of them
     * are over what can be copied of it in the rest is, and it runs on. */
    uint64_t most_pause;
    /* Told when a process stands still, and when it runs on; may be NULL. */
    void (*stands)(bool stands);
    /* NULL, or asked for files of ELF that are not on this machine: that of a build, or the one
     * with the debug information that was split from it. False: there is none; else its path. */
    bool (*fetch)(void *ctx, const struct loupe_image_id *build, bool debug_file, char *path,
                  size_t cap);
    void *fetch_ctx;
    /* Told now and then, may be NULL: true ends what is under way. */
    bool (*interrupted)(void *ctx);
    void *interrupted_ctx;
};

/* What is not there, in a target that could be opened. */
struct loupe_reader_missing {
    bool truncated;         /* the core ends before its memory does */
    uint64_t bytes;         /* of memory that is neither in the core nor in a file of an image */
    uint32_t files;         /* images whose files are not there, or are of another build */
    const char *file;       /* the first of these; NULL: none. Lasts as long as the reader */
    uint32_t shared_images; /* Mach-O: images of the shared cache that are not in the core */
    uint32_t packed_lines;  /* sections with lines that cannot be unpacked here */
    uint32_t threads;       /* whose registers are not there or not understood */
    uint64_t copied, not_copied; /* bytes, of a process that ran on before all of it was read */
    uint32_t damaged_parts;      /* notes, commands, segments that make no sense */
};

/* ---- Core files ---- */

enum loupe_core_kind {
    LOUPE_NO_CORE,
    LOUPE_ELF_CORE,
    LOUPE_MACHO_CORE,
    LOUPE_PACKED_FILE, /* what a system packs cores with, but gzip and zstd */
    LOUPE_PROGRAM_FILE /* a program or library, which is no core */
};

/* By the first bytes. */
enum loupe_core_kind loupe_core_kind(const uint8_t *bytes, uint64_t size);

/* bytes are the whole file, and outlive the reader. Fails with a message. */
enum loupe_status loupe_core_open(const uint8_t *bytes, uint64_t size,
                                  const struct loupe_reader_options *options,
                                  struct loupe_reader **ret, struct loupe_error *err);

/* ---- Processes ---- */

/*
 * Stops all threads of the process and lets them go when the reader is closed. Fails with a
 * message: also where this system has no such way, where a debugger has the process already, and
 * where we may not.
 */
enum loupe_status loupe_process_open(uint64_t process, const struct loupe_reader_options *options,
                                     struct loupe_reader **ret, struct loupe_error *err);

/* Whether it is gone, as one may be that was killed while it was read: what was read then is not
 * it.
 */
bool loupe_process_has_ended(uint64_t process);

/* ---- An opened target ---- */

/* Valid until loupe_reader_close(), which deinits it. */
struct loupe_memory *loupe_reader_memory(struct loupe_reader *reader);
const struct loupe_reader_missing *loupe_reader_missing(const struct loupe_reader *reader);
/* The path of its executable, and its number; NULL and 0: not known. */
const char *loupe_reader_program(const struct loupe_reader *reader);
uint64_t loupe_reader_process(const struct loupe_reader *reader);
/* What its linker called its executable. Length 0: not known. */
struct loupe_image_id loupe_reader_build(const struct loupe_reader *reader);
/*
 * Visits the variables that blocks capture, of all blocks of the image that has a function, by its
 * debug information: once for each image, further calls visit nothing. LOUPE_ENOMEM.
 */
enum loupe_status loupe_reader_visit_block_variables(struct loupe_reader *reader,
                                                     loupe_addr function,
                                                     loupe_block_variable_visitor *visit,
                                                     void *ctx);
/* The same of the parameters of Swift's functions. */
enum loupe_status loupe_reader_visit_closure_parameters(struct loupe_reader *reader,
                                                        loupe_addr function,
                                                        loupe_closure_parameters_visitor *visit,
                                                        void *ctx);
/* Visits the members of classes of C++, by the debug information of all images, the program's own
 * first: a class that several of them describe once for each. LOUPE_ENOMEM. */
enum loupe_status loupe_reader_visit_class_members(struct loupe_reader *reader,
                                                   const struct loupe_wanted_classes *wanted,
                                                   loupe_class_member_visitor *visit, void *ctx,
                                                   struct loupe_members_missing *missing_ret);
/* Where an ivar was declared; path is cut to what it has room for. */
struct loupe_ivar_line {
    struct loupe_span class_name, name;
    const char *path;
    uint32_t line;
};
typedef void loupe_ivar_line_visitor(void *ctx, const struct loupe_ivar_line *ivar);
/*
 * Visits those of a file of a program, a library or their debug information, which no target has to
 * have mapped. *count_ret: how many. None where the file is not there or makes no sense.
 * LOUPE_ENOMEM.
 */
enum loupe_status loupe_file_visit_ivar_lines(const char *path,
                                              const struct loupe_chunk_ops *chunks,
                                              loupe_ivar_line_visitor *visit, void *ctx,
                                              uint32_t *count_ret);
/* How long a process stood still so far, in microseconds; 0: it is a core. */
uint64_t loupe_reader_pause(const struct loupe_reader *reader);
void loupe_reader_close(struct loupe_reader *reader);

/* Whether a file says that it is of a build, whatever else stands in it. */
bool loupe_file_has_id(const char *path, const struct loupe_chunk_ops *chunks,
                       const struct loupe_image_id *build);

/* Of a core or a process that is being opened. */
static inline enum loupe_status loupe_reader_out_of_memory(struct loupe_error *err) {
    return loupe_fail(err, LOUPE_ENOMEM, 0, "out of memory while opening it");
}

#endif
