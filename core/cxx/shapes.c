#include "cxx/shapes.h"

#include <string.h>

const char *loupe_cxx_shape_name(enum loupe_cxx_shape shape) {
    static const char *const names[LOUPE_CXX_SHAPE_COUNT] = {
        [LOUPE_CXX_VECTOR] = "vector storage (by its shape)",
        [LOUPE_CXX_TEXT] = "string text (by its shape)",
        [LOUPE_CXX_BUCKETS] = "hash buckets (by its shape)",
        [LOUPE_CXX_HASH_NODE] = "hash node (by its shape)",
        [LOUPE_CXX_DEQUE_MAP] = "deque map (by its shape)",
        [LOUPE_CXX_DEQUE_BLOCK] = "deque block (by its shape)",
        [LOUPE_CXX_LIST_NODE] = "list node (by its shape)",
        [LOUPE_CXX_TREE_NODE] = "tree node (by its shape)"};
    return names[shape];
}

/* Memory that a word leads to, and the words around that one. */
struct look {
    struct loupe_memory *memory;
    loupe_addr place;
    struct loupe_cxx_memory to;
    unsigned word;
};

static bool read_word(struct loupe_memory *memory, loupe_addr address, uint64_t *ret) {
    return !loupe_memory_read_word(memory, address, ret);
}

/* So many words behind the place. */
static bool read_beside(const struct look *look, int words, uint64_t *ret) {
    return read_word(look->memory, look->place + (loupe_addr)(int64_t)(words * (int)look->word),
                     ret);
}

/* As much of the memory is used as was asked for, but for what allocators round up. */
static bool fills(const struct loupe_cxx_memory *memory, uint64_t bytes) {
    enum { MOST_SLACK = 24, SHARE = 8 };
    return bytes && bytes <= memory->size &&
           (memory->size - bytes < MOST_SLACK || memory->size - bytes <= memory->size / SHARE);
}

static bool is_in(const struct loupe_cxx_memory *memory, loupe_addr address) {
    return address - memory->start <= memory->size;
}

/* ---- Sequences ---- */

static bool is_vector(const struct look *look, loupe_addr end, struct loupe_cxx_extent *ret) {
    uint64_t room;
    if (!read_beside(look, 2, &room) || !is_in(&look->to, room) || room < end ||
        !fills(&look->to, room - look->to.start))
        return false;
    ret->end = end;
    return true;
}

/* libc++: {row, first, end, end of its room, where it starts in the first block, count}. */
static bool is_row_of_blocks(const struct look *look, loupe_addr first,
                             struct loupe_cxx_extent *ret) {
    enum { MOST_IN_BLOCK = 4096 };
    uint64_t end, room, start;
    if (!read_beside(look, 2, &end) || !read_beside(look, 3, &room) ||
        !read_beside(look, 4, &start) || end <= first || room < end || start >= MOST_IN_BLOCK ||
        !is_in(&look->to, room) || !fills(&look->to, room - look->to.start) ||
        (first | end | room) % look->word)
        return false;
    ret->first = first;
    ret->end = end;
    return true;
}

/* libstdc++: {map, its size, {cur, first, last, node} of its start, the same of its end}. */
static bool is_deque_map(const struct look *look, uint64_t count, struct loupe_cxx_extent *ret) {
    uint64_t first, node, last_first, last_node, there;
    if (!fills(&look->to, count * look->word) || !read_beside(look, 3, &first) ||
        !read_beside(look, 5, &node) || !read_beside(look, 7, &last_first) ||
        !read_beside(look, 9, &last_node) || !is_in(&look->to, node) ||
        !is_in(&look->to, last_node) || last_node < node || (node | last_node) % look->word)
        return false;
    if (!read_word(look->memory, node, &there) || there != first ||
        !read_word(look->memory, last_node, &there) || there != last_first)
        return false;
    ret->first = node;
    ret->end = last_node + look->word;
    return true;
}

/* ---- Texts ---- */

static bool ends_with_zero(const struct look *look, uint64_t length) {
    char end = 1;
    return !loupe_memory_read(look->memory, look->to.start + length, &end, 1) && !end;
}

/* libstdc++: {text, length, room without its NUL}. */
static bool is_text(const struct look *look, uint64_t length) {
    uint64_t room;
    return length < look->to.size && read_beside(look, 2, &room) && length <= room &&
           room < look->to.size && fills(&look->to, room + 1) && ends_with_zero(look, length);
}

/* libc++: {room with its NUL, and 1, length, text}. */
static bool is_text_behind(const struct look *look) {
    uint64_t room, length;
    return read_beside(look, -2, &room) && (room & 1) && room <= look->to.size + 1 &&
           read_beside(look, -1, &length) && length < (room & ~UINT64_C(1)) &&
           fills(&look->to, room & ~UINT64_C(1)) && ends_with_zero(look, length);
}

/* ---- Hashes: {buckets, their number, first node, nodes, load factor as a float} ---- */

static bool is_load_factor(struct loupe_memory *memory, loupe_addr address) {
    enum { LEAST = 0x3d800000, MOST = 0x42800000 }; /* 1/16 and 64 */
    uint32_t bits;
    return !loupe_memory_read_u32(memory, address, &bits) && bits >= LEAST && bits <= MOST;
}

static bool is_buckets(const struct look *look, uint64_t buckets, struct loupe_cxx_extent *ret) {
    return buckets > 1 && buckets <= look->to.size / look->word &&
           fills(&look->to, buckets * look->word) &&
           is_load_factor(look->memory, look->place + 4 * look->word) &&
           read_beside(look, 2, &ret->first) && read_beside(look, 3, &ret->count) &&
           (ret->first != 0) == (ret->count != 0);
}

/* libstdc++ has the only bucket of a small one behind the header itself; the place is that of the
 * first node. */
static bool is_in_only_bucket(const struct look *look, struct loupe_cxx_extent *ret) {
    uint64_t buckets, count;
    if (!read_beside(look, -1, &count) || count != 1 || !read_beside(look, -2, &buckets) ||
        buckets != look->place + 4 * look->word || !read_beside(look, 1, &ret->count) ||
        !ret->count || !is_load_factor(look->memory, look->place + 2 * look->word))
        return false;
    ret->first = look->to.start;
    return true;
}

/* ---- By what leads to it ---- */

enum loupe_cxx_shape loupe_cxx_shape_at(struct loupe_target *target, loupe_addr place,
                                        struct loupe_cxx_memory memory,
                                        struct loupe_cxx_extent *ret) {
    struct look look = {.memory = target->memory,
                        .place = place,
                        .to = memory,
                        .word = target->memory->machine.pointer_size};
    uint64_t next;
    *ret = (struct loupe_cxx_extent){.count = 0};
    if (!read_beside(&look, 1, &next))
        return is_text_behind(&look) ? LOUPE_CXX_TEXT : LOUPE_CXX_NO_SHAPE;
    if (is_in(&memory, next)) {
        if (is_row_of_blocks(&look, next, ret))
            return LOUPE_CXX_DEQUE_MAP;
        return is_vector(&look, next, ret) ? LOUPE_CXX_VECTOR : LOUPE_CXX_NO_SHAPE;
    }
    if (is_buckets(&look, next, ret))
        return LOUPE_CXX_BUCKETS;
    if (is_text(&look, next) || is_text_behind(&look))
        return LOUPE_CXX_TEXT;
    if (next <= memory.size / look.word && is_deque_map(&look, next, ret))
        return LOUPE_CXX_DEQUE_MAP;
    return is_in_only_bucket(&look, ret) ? LOUPE_CXX_HASH_NODE : LOUPE_CXX_NO_SHAPE;
}

/* ---- By what is in it ---- */

static bool leads_to(struct loupe_memory *memory, loupe_addr address, loupe_addr to) {
    uint64_t word;
    return read_word(memory, address, &word) && word == to;
}

/* Two words to its neighbours, in either order: the one's second and the other's first lead back.
 * They are aligned, and so are their words. */
static bool is_list_node(struct loupe_memory *memory, loupe_addr node, const uint64_t *words,
                         unsigned word) {
    return words[0] && words[1] && (words[0] | words[1]) % word == 0 && words[0] != node &&
           leads_to(memory, words[0] + word, node) && leads_to(memory, words[1], node);
}

/* Whether a child's word for its parent leads back, where there is a child. */
static bool is_child(struct loupe_memory *memory, loupe_addr child, unsigned parent_at,
                     loupe_addr node) {
    return !child || leads_to(memory, child + parent_at, node);
}

/* Where the three words of a node stand: libstdc++ has its colour before, libc++ behind them. */
struct tree_form {
    unsigned parent, left, right; /* in words */
    unsigned color;
};

static bool is_tree_node_of(struct loupe_memory *memory, loupe_addr node, const uint64_t *words,
                            unsigned word, const struct tree_form *form) {
    loupe_addr parent = words[form->parent], left = words[form->left], right = words[form->right];
    if ((words[form->color] & 0xff) > 1 || parent < LOUPE_PAGE_SIZE ||
        (parent | left | right) % word || parent == node)
        return false;
    bool is_known = leads_to(memory, parent + form->left * word, node) ||
                    leads_to(memory, parent + form->right * word, node) ||
                    leads_to(memory, parent + form->parent * word, node);
    return is_known && is_child(memory, left, form->parent * word, node) &&
           is_child(memory, right, form->parent * word, node);
}

static bool is_tree_node(struct loupe_memory *memory, loupe_addr node, const uint64_t *words,
                         unsigned word) {
    static const struct tree_form forms[] = {{.parent = 1, .left = 2, .right = 3, .color = 0},
                                             {.parent = 2, .left = 0, .right = 1, .color = 3}};
    return is_tree_node_of(memory, node, words, word, &forms[0]) ||
           is_tree_node_of(memory, node, words, word, &forms[1]);
}

enum loupe_cxx_shape loupe_cxx_shape_in(struct loupe_target *target,
                                        struct loupe_cxx_memory memory) {
    enum { LIST_WORDS = 2, TREE_WORDS = 4 };
    unsigned word = target->memory->machine.pointer_size;
    uint64_t words[TREE_WORDS] = {0};
    for (unsigned i = 0; i < TREE_WORDS && (i + 1) * word <= memory.size; i++) {
        if (!read_word(target->memory, memory.start + (loupe_addr)i * word, &words[i]))
            return LOUPE_CXX_NO_SHAPE;
    }
    /* More than its two words: there is an element in it. */
    if (memory.size > (uint64_t)LIST_WORDS * word &&
        is_list_node(target->memory, memory.start, words, word))
        return LOUPE_CXX_LIST_NODE;
    if (memory.size > (uint64_t)TREE_WORDS * word &&
        is_tree_node(target->memory, memory.start, words, word))
        return LOUPE_CXX_TREE_NODE;
    return LOUPE_CXX_NO_SHAPE;
}

/* ---- Exceptions ---- */

bool loupe_cxx_exception_at(struct loupe_target *target, struct loupe_typeinfo_kinds *kinds,
                            struct loupe_cxx_memory memory, struct loupe_typeinfo *ret,
                            uint32_t *offset_ret) {
    /* Of both libraries, of 64 bits: the object is behind the header, whose last part is the
     * unwinder's and begins with who threw it: "GNUCC++\0" and "CLNGC++\0", and 1 more for one that
     * refers to another. */
    enum { HEADER = 0x80, TYPE = 0x10, WHO = 0x60 };
    static const uint64_t gnu = UINT64_C(0x474e5543432b2b00), llvm = UINT64_C(0x434c4e47432b2b00);
    uint64_t who, typeinfo;
    if (target->memory->machine.pointer_size != sizeof(who) || memory.size <= HEADER ||
        !read_word(target->memory, memory.start + WHO, &who) || (who != gnu && who != llvm) ||
        !read_word(target->memory, memory.start + TYPE, &typeinfo))
        return false;
    *offset_ret = HEADER;
    return loupe_typeinfo_at(target, kinds, loupe_memory_strip(target->memory, typeinfo), ret);
}

/* ---- Coroutines ---- */

/*
 * clang calls the function that resumes a frame as the coroutine, with ".resume" behind it; gcc
 * "<name>P<its frame>.Frame.actor", the frame being local in the coroutine: what is mangled of that
 * is "<name>PZ<coroutine>E...". Here the coroutine is made a local name again, which is a type.
 */
static struct loupe_span coroutine_in(const char *symbol) {
    static const char resume[] = ".resume", actor[] = ".Frame.actor";
    size_t length = strlen(symbol);
    struct loupe_span none = {.bytes = ""};
    if (strncmp(symbol, "_Z", 2) != 0)
        return none;
    if (length > strlen(resume) && strcmp(symbol + length - strlen(resume), resume) == 0)
        return (struct loupe_span){symbol + 2, length - 2 - strlen(resume)};
    if (length <= strlen(actor) || strcmp(symbol + length - strlen(actor), actor) != 0)
        return none;
    /* The coroutine's own symbol is the name of the frame: the last one that begins in it. */
    for (size_t at = length - strlen(actor); at-- > 2;) {
        if (symbol[at] == '_' && symbol[at + 1] == 'Z')
            return (struct loupe_span){symbol + at + 2, length - at - 2 - strlen(actor)};
    }
    return none;
}

bool loupe_cxx_coroutine_of(struct loupe_target *target, loupe_addr resume, char *dst, size_t cap) {
    static const char tail[] = "::frame";
    char symbol[LOUPE_MAX_TYPE_NAME + 1], local[LOUPE_MAX_TYPE_NAME + 16];
    uint64_t offset;
    if (!loupe_memory_name_address(target->memory, resume, symbol, sizeof(symbol), &offset) ||
        offset)
        return false;
    struct loupe_span name = coroutine_in(symbol);
    if (!name.length)
        return false;
    loupe_format(local, sizeof(local), "Z%.*sE5frame", (int)name.length, name.bytes);
    if (!loupe_cxx_type_name(loupe_span_of(local), dst, cap))
        return false;
    size_t length = strlen(dst);
    if (length <= strlen(tail) || strcmp(dst + length - strlen(tail), tail) != 0)
        return false;
    dst[length - strlen(tail)] = '\0';
    return true;
}
