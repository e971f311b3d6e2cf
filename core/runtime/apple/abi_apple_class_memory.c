/*
 * The memory that Apple's runtime keeps for a class: objc-runtime-new.h of objc4-723 to objc4-951
 * (objc_class, cache_t, class_data_bits_t, class_rw_t, class_rw_ext_t, class_ro_t, list_array_tt).
 *
 *     class --buckets--> cache
 *           --bits--> class_rw --> class_rw_ext --> class_ro --> layouts, name, lists
 *                                               --> lists, or arrays of lists
 *
 * All of it can be allocated; what is not stands in images, and nobody asks on from there.
 */
#include "runtime/apple/abi_apple.h"

/* The words of a class. */
enum { CLASS_BUCKETS = 2, CLASS_BITS = 4 };
/* Of class_rw_ext; before objc4-781 class_rw has the same behind its two numbers. */
enum { EXT_RO, EXT_METHODS, EXT_PROPERTIES, EXT_PROTOCOLS, EXT_NAME, OLD_RW_NAME = 6 };
enum {
    RW_NUMBERS = 8,   /* bytes of class_rw before its words */
    KIND_BITS = 3,    /* of a word that leads to a list or to several */
    SEVERAL = 1,      /* among them */
    BUCKET_BITS = 48, /* of the word that leads to a cache; on arm64 a mask stands above them */
    ENTRY_SIZE_BITS = 0xfffc
};
static const uint32_t relative_entries = UINT32_C(1) << 31;

struct reading {
    struct loupe_target *target;
    struct loupe_class_memory_taker *taker;
};

/* Memory to look into; end 0: none. */
struct piece {
    loupe_addr start, end;
};

/* ---- Words ---- */

static struct piece hand_over(const struct reading *reading, loupe_addr slot, loupe_addr memory) {
    struct loupe_class_memory_taker *taker = reading->taker;
    struct piece piece = {.start = memory};
    if (!memory || !taker->words_left)
        return piece;
    taker->words_left--;
    piece.end = taker->take(taker->ctx, slot, memory);
    return piece;
}

static bool has_word(const struct reading *reading, struct piece piece, loupe_addr slot) {
    return slot >= piece.start && slot < piece.end &&
           piece.end - slot >= reading->target->memory->machine.pointer_size;
}

/* What a word of memory that was taken leads to. */
static struct piece follow(const struct reading *reading, struct piece in, loupe_addr slot) {
    loupe_addr memory;
    if (!has_word(reading, in, slot) ||
        loupe_memory_read_pointer(reading->target->memory, slot, &memory))
        return (struct piece){.end = 0};
    return hand_over(reading, slot, memory & ~(loupe_addr)KIND_BITS);
}

/* ---- Lists ---- */

/* Which words of an entry lead to memory: those from `first` on, before `end`. */
struct entry_form {
    unsigned first, end;
};
static const struct entry_form of_methods = {.first = 1, .end = 2}; /* name, types, code */
static const struct entry_form of_properties = {.first = 0, .end = 2};
static const struct entry_form of_ivars = {.first = 0, .end = 3}; /* offset, name, type */

static void take_entries(const struct reading *reading, struct piece list,
                         const struct entry_form *form) {
    const struct loupe_target *target = reading->target;
    uint32_t header[2];
    if (!list.end || loupe_memory_read(target->memory, list.start, header, sizeof(header)) ||
        (header[0] & relative_entries))
        return;
    uint32_t size = header[0] & ENTRY_SIZE_BITS;
    loupe_addr entry = list.start + sizeof(header);
    if (size < abi_word(target, 0, form->end))
        return;
    for (uint32_t i = 0; i < header[1] && has_word(reading, list, entry); i++, entry += size) {
        for (unsigned word = form->first; word < form->end; word++)
            follow(reading, list, abi_word(target, entry, word));
    }
}

/* Their number, a word, and as many words. */
static void take_protocols(const struct reading *reading, struct piece list) {
    uint64_t count;
    if (!list.end || loupe_memory_read_word(reading->target->memory, list.start, &count))
        return;
    loupe_addr slot = abi_word(reading->target, list.start, 1);
    for (uint64_t i = 0; i < count && has_word(reading, list, slot); i++) {
        follow(reading, list, slot);
        slot = abi_word(reading->target, slot, 1);
    }
}

/* form NULL: of protocols. */
static void take_list(const struct reading *reading, struct piece in, loupe_addr slot,
                      const struct entry_form *form) {
    struct piece list = follow(reading, in, slot);
    if (form)
        take_entries(reading, list, form);
    else
        take_protocols(reading, list);
}

/* A word that leads to a list, or to an array of words that do. */
static void take_lists(const struct reading *reading, struct piece in, loupe_addr slot,
                       const struct entry_form *form) {
    struct loupe_memory *memory = reading->target->memory;
    loupe_addr word;
    uint32_t count;
    if (!has_word(reading, in, slot) || loupe_memory_read_pointer(memory, slot, &word))
        return;
    if ((word & KIND_BITS) != SEVERAL) {
        take_list(reading, in, slot, form);
        return;
    }
    struct piece array = follow(reading, in, slot);
    if (!array.end || loupe_memory_read_u32(memory, array.start, &count))
        return;
    loupe_addr place = abi_word(reading->target, array.start, 1);
    for (uint32_t i = 0; i < count && has_word(reading, array, place); i++) {
        take_list(reading, array, place, form);
        place = abi_word(reading->target, place, 1);
    }
}

/* ---- Tables of a class ---- */

/* Where a class has one of its own. Of a metaclass the first word leads to its class. */
static void take_ro(const struct reading *reading, struct piece ro) {
    static const enum apple_ro_word texts[] = {APPLE_RO_STRONG_LAYOUT, APPLE_RO_NAME,
                                               APPLE_RO_WEAK_LAYOUT};
    const struct loupe_target *target = reading->target;
    for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        follow(reading, ro, apple_ro_word(target, ro.start, texts[i]));
    take_list(reading, ro, apple_ro_word(target, ro.start, APPLE_RO_METHODS), &of_methods);
    take_list(reading, ro, apple_ro_word(target, ro.start, APPLE_RO_PROTOCOLS), NULL);
    take_list(reading, ro, apple_ro_word(target, ro.start, APPLE_RO_IVARS), &of_ivars);
    take_list(reading, ro, apple_ro_word(target, ro.start, APPLE_RO_PROPERTIES), &of_properties);
}

/* class_rw_ext, or where class_rw has the same: `words` in it. */
static void take_changes(const struct reading *reading, struct piece in, loupe_addr words,
                         unsigned name) {
    const struct loupe_target *target = reading->target;
    take_ro(reading, follow(reading, in, abi_word(target, words, EXT_RO)));
    take_lists(reading, in, abi_word(target, words, EXT_METHODS), &of_methods);
    take_lists(reading, in, abi_word(target, words, EXT_PROPERTIES), &of_properties);
    take_lists(reading, in, abi_word(target, words, EXT_PROTOCOLS), NULL);
    follow(reading, in, abi_word(target, words, name));
}

static void take_rw(const struct reading *reading, struct piece rw, bool has_ext) {
    loupe_addr relatives[APPLE_RELATIVES], words = rw.start + RW_NUMBERS;
    if (has_ext) {
        struct piece ext = follow(reading, rw, words);
        take_changes(reading, ext, ext.start, EXT_NAME);
    } else if (apple_state_of(reading->target)->has_rw_ext) {
        take_ro(reading, follow(reading, rw, words));
    } else {
        take_changes(reading, rw, words, OLD_RW_NAME);
    }
    apple_relative_places(reading->target, rw.start, relatives);
    /* Cap: all of a table. */
    for (unsigned i = 0; i < APPLE_RELATIVES; i++)
        follow(reading, rw, relatives[i]);
}

static void take_buckets(const struct reading *reading, loupe_addr slot) {
    const struct loupe_machine *machine = &reading->target->memory->machine;
    uint64_t word;
    if (loupe_memory_read_word(reading->target->memory, slot, &word))
        return;
    if (machine->arch == LOUPE_ARCH_ARM64 && machine->pointer_size == 8)
        word &= (UINT64_C(1) << BUCKET_BITS) - 1;
    hand_over(reading, slot, word & ~(loupe_addr)KIND_BITS);
}

void apple_hand_over_class_memory(struct loupe_target *target, loupe_addr cls,
                                  struct loupe_class_memory_taker *taker) {
    const struct reading reading = {.target = target, .taker = taker};
    struct apple_rw rw;
    if (!apple_find_rw(target, cls, &rw))
        return;
    take_buckets(&reading, abi_word(target, cls, CLASS_BUCKETS));
    take_rw(&reading, hand_over(&reading, abi_word(target, cls, CLASS_BITS), rw.address),
            rw.ext != 0);
}
