/*
 * Finds the table of associated objects where no symbol tells it: images of a Mac's shared cache
 * have no local symbols in memory. It stands in the runtime's own data, and is believed by what it
 * holds: every key is an object that says in its isa that it has associated ones, and every value
 * is the head of a table.
 */
#include "runtime/apple/abi_apple.h"

enum {
    HAS_ASSOCIATIONS = 2,    /* in a packed isa */
    BUCKET_WORDS = 4,        /* a key, and the head of a table, of 64 bits */
    MOST_DATA = 1 << 20,     /* bytes of one section that are looked through */
    MOST_BELIEVED = 1 << 10, /* entries that are looked at before all are believed */
    MOST_EMPTY = 1 << 11,    /* buckets in which one entry at least is expected: tables shrink */
    MOST_BUCKETS = 1 << 22   /* that are looked at in all; then there is none */
};

static bool is_entry(struct loupe_target *target, loupe_addr bucket, loupe_addr key) {
    struct loupe_object object;
    struct apple_dense_map own;
    return !loupe_is_tagged(target, key) && !loupe_object_at(target, key, &object, NULL) &&
           apple_is_packed(apple_state_of(target), object.isa) &&
           (object.isa & HAS_ASSOCIATIONS) != 0 &&
           apple_read_dense_map(target, abi_word(target, bucket, 1), &own) && own.bucket_count != 0;
}

struct look {
    struct loupe_target *target;
    loupe_addr found;
    uint32_t buckets; /* that were looked at */
};

static bool is_table(struct look *look, loupe_addr address) {
    struct loupe_target *target = look->target;
    struct apple_dense_map table;
    unsigned believed = 0;
    if (!apple_read_dense_map(target, address, &table) || !table.bucket_count)
        return false;
    /* Cap: as many speak for the rest. */
    for (uint32_t i = 0; i < table.bucket_count && believed < MOST_BELIEVED; i++) {
        uint64_t word;
        loupe_addr bucket = abi_word(target, table.buckets, BUCKET_WORDS * i);
        if ((!believed && i == MOST_EMPTY) || ++look->buckets > MOST_BUCKETS ||
            loupe_memory_read_word(target->memory, bucket, &word))
            return false;
        loupe_addr key = apple_undisguise(target, word);
        if (key && !is_entry(target, bucket, key))
            return false;
        believed += key != 0;
    }
    return believed != 0;
}

/* LOUPE_ELIMIT ends the visits. */
static enum loupe_status look_at_section(void *visitor,
                                         const struct loupe_process_section *section) {
    struct look *look = visitor;
    if (!section->loaded || !section->writable || section->size > MOST_DATA)
        return LOUPE_OK;
    for (uint64_t at = 0; at + sizeof(uint64_t) <= section->size; at += sizeof(uint64_t)) {
        if (look->buckets > MOST_BUCKETS ||
            loupe_memory_ends_at(look->target->memory, at / sizeof(uint64_t)))
            return LOUPE_ELIMIT;
        if (is_table(look, section->start + at)) {
            look->found = section->start + at;
            return LOUPE_ELIMIT;
        }
    }
    return LOUPE_OK;
}

static bool is_runtime(const char *path) {
    static const char name[] = "libobjc.A.dylib";
    struct loupe_span span = loupe_span_of(path), end;
    if (span.length < sizeof(name) - 1)
        return false;
    end = (struct loupe_span){span.bytes + span.length - (sizeof(name) - 1), sizeof(name) - 1};
    return loupe_span_equals(end, name);
}

static enum loupe_status look_at_image(void *visitor, uint32_t image, const char *path) {
    struct look *look = visitor;
    const struct loupe_memory *memory = look->target->memory;
    return is_runtime(path)
               ? memory->ops->process->sections(memory->ctx, image, look_at_section, look)
               : LOUPE_OK;
}

loupe_addr apple_find_association_table(struct loupe_target *target) {
    const struct loupe_process_ops *process = target->memory->ops->process;
    struct look look = {.target = target};
    if (apple_state_of(target)->has_packed_isa && target->memory->machine.pointer_size == 8 &&
        process && process->images && process->sections)
        process->images(target->memory->ctx, look_at_image, &look);
    return look.found;
}
