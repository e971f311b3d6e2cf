/*
 * loupe_sections.h - the layout of a snapshot's file: what its writer and its reader share.
 */
#ifndef LOUPE_FILE_SECTIONS_H
#define LOUPE_FILE_SECTIONS_H

#include "snapshot/file/packing.h"
#include "snapshot/native.h"
#include "snapshot/snapshot.h"

#define LOUPE_FILE_MAGIC "LOUPE\r\n\x1a"

enum { LOUPE_SECTION_ALIGNMENT = 64, LOUPE_CONTENT_STEP = 64 };

/* In the order in which they are written; a new one gets the next number. */
enum loupe_file_part {
    LOUPE_SECTION_FACTS = 1,
    LOUPE_SECTION_ADDRESSES,
    LOUPE_SECTION_BY_ADDRESS,
    LOUPE_SECTION_CLASSES,
    LOUPE_SECTION_SIZES,
    LOUPE_SECTION_LARGE_SIZES,
    LOUPE_SECTION_FIRST,
    LOUPE_SECTION_TO,
    LOUPE_SECTION_KINDS,
    LOUPE_SECTION_SLOTS,
    LOUPE_SECTION_CLASS_TABLE,
    LOUPE_SECTION_FIELDS,
    LOUPE_SECTION_ROOTS,
    LOUPE_SECTION_ROOT_NODES,
    LOUPE_SECTION_THREADS,
    LOUPE_SECTION_FRAMES,
    LOUPE_SECTION_STRINGS,
    LOUPE_SECTION_TEXT,
    LOUPE_SECTION_NOTES,
    LOUPE_SECTION_CONTENT_LENGTHS,
    LOUPE_SECTION_CONTENT_STARTS, /* of each 64th node */
    LOUPE_SECTION_CONTENTS,
    LOUPE_SECTION_DOMINATORS,
    LOUPE_SECTION_RETAINED,
    LOUPE_SECTION_RETAINED_COUNTS,
    LOUPE_SECTION_HEAPS,
    LOUPE_SECTION_HEAP_RANGES,
    LOUPE_SECTION_PATHS_FROM,
    LOUPE_SECTION_PATH_LEVELS, /* of two nodes each */
    LOUPE_SECTION_PATH_RULES,  /* one number */
    /* Of native heaps: all of them, and slots, or none. */
    LOUPE_SECTION_NATIVE,
    LOUPE_SECTION_LABELS,
    LOUPE_SECTION_RETAIN_COUNTS,
    LOUPE_SECTION_MARKS,
    LOUPE_SECTION_CLASS_PLACES,
    LOUPE_SECTION_LABEL_TABLE,
    LOUPE_SECTION_ROOT_PLACES,
    LOUPE_SECTION_ALLOCATORS,
    LOUPE_SECTION_NATIVE_NOTES,
    /* Of native heaps with libloupe_record: all of them, or none. */
    LOUPE_SECTION_RECORDER,
    LOUPE_SECTION_STACKS,
    LOUPE_SECTION_CALLS,
    LOUPE_SECTION_RECORDED_FRAMES,
    LOUPE_SECTION_DANGLING,    /* of native heaps; older versions wrote none */
    LOUPE_SECTION_VALUES,      /* of native heaps: may be missing */
    LOUPE_SECTION_DEBUG_NAMES, /* of native heaps: may be missing, both or none */
    LOUPE_SECTION_DEBUG_TEXT,
    LOUPE_SECTION_POINTERS, /* of native heaps; older versions wrote none */
    LOUPE_SECTION_TAGGING,  /* of native heaps: may be missing, as all that follow */
    LOUPE_SECTION_FIELD_TEXTS,
    LOUPE_SECTION_ITEMS,
    LOUPE_SECTION_END
};

struct loupe_file_header {
    char magic[8];
    uint32_t version, sections;
    uint64_t size; /* of the whole file */
    uint64_t reserved;
};

/* In files of version 1: elements stand as in memory. */
struct loupe_plain_section {
    uint32_t id, element_size;
    uint64_t offset, count; /* bytes from the beginning of the file; elements */
};

struct loupe_file_section {
    uint32_t id, element_size; /* of an element in memory */
    uint64_t offset, count;
    uint64_t size; /* in the file, in bytes */
    uint32_t packing;
    uint32_t reserved;
};

struct loupe_file_facts {
    uint64_t bytes, time;
    uint32_t address_size, reference_size;
    uint32_t format; /* string */
    uint32_t flags;
};

enum { LOUPE_FILE_BIG_ENDIAN = 1 << 0 }; /* of its flags: struct loupe_snapshot, is_big_endian */

struct loupe_file_native {
    uint64_t process, raw_blocks, raw_bytes;
    uint32_t abi, program; /* strings */
    uint32_t origin;
    uint32_t reserved;
};

/* Bytes of one element of a section. */
extern const uint8_t loupe_section_element_sizes[LOUPE_SECTION_END];
/* How each is written: enum loupe_packing. A reader goes by what the file says. */
extern const uint8_t loupe_section_packings[LOUPE_SECTION_END];

#endif
