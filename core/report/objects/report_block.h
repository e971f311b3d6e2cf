/*
 * report_block.h - the answer to block-layout: one block, and every byte of it accounted for.
 *
 * First everything is looked up, then it is written: an answer is either whole or an error.
 */
#ifndef LOUPE_REPORT_BLOCK_H
#define LOUPE_REPORT_BLOCK_H

#include "blocks/block.h"
#include "blocks/byref.h"
#include "blocks/captures.h"
#include "base/json.h"
#include "base/target/target.h"

/* What the caller knows of objects. */
struct loupe_class_namer {
    /* The class of the object at address; empty when there is none. In the target's arena. */
    struct loupe_span (*name)(void *ctx, loupe_addr address);
    void *ctx;
};

struct loupe_reported_byref;

/* A capture and what stands there. */
struct loupe_reported_capture {
    struct loupe_capture capture;
    bool has_value; /* it is readable and no larger than a word of 8 bytes */
    uint64_t value; /* a pointer without signature bits, or plain bytes, little endian */
    struct loupe_span class_name;       /* of the object there; empty: none */
    struct loupe_reported_byref *byref; /* NULL: none, or it cannot be read */
};

/* All captures of a block or byref. Bytes that may own something are in it word by word. */
struct loupe_reported_list {
    struct loupe_reported_capture *items;
    uint32_t count, capacity;
};

/* A __block variable. */
struct loupe_reported_byref {
    struct loupe_byref byref;
    struct loupe_reported_list variable;
};

struct loupe_block_report {
    struct loupe_block block;
    struct loupe_captures captures;
    struct loupe_reported_list list;
    struct loupe_span signature; /* empty: none, or it cannot be read */
    struct loupe_span invoke_symbol;
};

/*
 * Looks up all that is to be said of the block at address. What may be owned but is not described
 * is added to the target's findings. Everything lives in the target's arena. Fails like
 * loupe_block_read(). *err may be NULL.
 */
enum loupe_status loupe_block_report_make(struct loupe_target *target,
                                          const struct loupe_block_traits *traits,
                                          struct loupe_class_namer namer, loupe_addr address,
                                          struct loupe_block_report *ret, struct loupe_error *err);

/* Writes "block", "layout", "symbol", "captures" and "conflicts" into the open object. */
void loupe_block_report_write(struct loupe_json *json, const struct loupe_block_report *report);

#endif
