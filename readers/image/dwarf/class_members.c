#include "image/dwarf/class_members.h"

#include "base/fnv.h"
#include "image/dwarf/dwarf_constants.h"

#include <string.h>

enum { MOST_SCOPES = 256, MOST_STEPS = 8, MOST_LEVELS = 8, LONGEST_PATH = 512 };

struct members {
    struct loupe_dwarf_walk walk;
    const struct loupe_wanted_classes *wanted;
    struct loupe_map done; /* numbers of classes */
    loupe_class_member_visitor *visit;
    void *ctx;
    struct loupe_members_missing *missing;
    enum loupe_status status;
};

/* ---- Names ---- */

static uint64_t add_to_key(uint64_t key, struct loupe_span text) {
    for (size_t i = 0; i < text.length; i++) {
        if (text.bytes[i] != ' ')
            key = loupe_fnv_bytes(key, text.bytes + i, 1);
    }
    return key;
}

void loupe_wanted_init(struct loupe_wanted_classes *wanted, const struct loupe_chunk_ops *chunks) {
    loupe_map_init(&wanted->by_key, chunks);
    loupe_map_init(&wanted->around, chunks);
}

void loupe_wanted_deinit(struct loupe_wanted_classes *wanted) {
    loupe_map_deinit(&wanted->by_key);
    loupe_map_deinit(&wanted->around);
}

/* How a character changes the depth of brackets: in these, "::" parts other names. */
static int depth_by(char c) {
    return c == '<' || c == '(' || c == '{' ? 1 : c == '>' || c == ')' || c == '}' ? -1 : 0;
}

enum loupe_status loupe_wanted_add(struct loupe_wanted_classes *wanted, struct loupe_span name,
                                   uint32_t number, uint32_t *number_ret) {
    int depth = 0;
    *number_ret = number;
    for (size_t at = 0; at + 1 < name.length; at++) {
        depth += depth_by(name.bytes[at]);
        if (depth || name.bytes[at] != ':' || name.bytes[at + 1] != ':')
            continue;
        struct loupe_span around = {name.bytes, at++};
        enum loupe_status status =
            loupe_map_put(&wanted->around, add_to_key(LOUPE_FNV_BASIS, around), 0);
        if (status)
            return status;
    }
    uint64_t key = add_to_key(LOUPE_FNV_BASIS, name);
    return loupe_map_find(&wanted->by_key, key, number_ret)
               ? LOUPE_OK
               : loupe_map_put(&wanted->by_key, key, number);
}

/* ---- Types ---- */

/* A structure whose members are visited, in that which is around it. */
struct level {
    struct loupe_cursor cursor;
    uint64_t base;      /* where it begins in the object */
    size_t path_length; /* of the member that it is */
    unsigned depth;     /* of the entry that comes next, in those of the structure: 1 is a member */
};

struct object {
    struct members *members;
    const struct loupe_dwarf_unit *unit;
    uint32_t wanted;
    char path[LONGEST_PATH];
    struct level levels[MOST_LEVELS];
    unsigned level_count;
};

static bool is_structure(uint64_t tag) {
    return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

static bool is_pointer(uint64_t tag) {
    return tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type ||
           tag == DW_TAG_rvalue_reference_type;
}

/* A type without what it is called and qualified by; the cursor is behind it. False: it is not in
 * the unit, or makes no sense. */
static bool find_type(struct members *members, const struct loupe_dwarf_unit *unit, uint64_t type,
                      struct loupe_dwarf_entry *ret, struct loupe_cursor *cursor_ret) {
    /* Cap: the member has the size of a word. */
    for (unsigned step = 0; step < MOST_STEPS; step++) {
        if (!loupe_dwarf_entry_at(&members->walk, unit, type, cursor_ret, ret)) {
            members->missing->types += type && (type < unit->start || type >= unit->end);
            return false;
        }
        if (ret->tag != DW_TAG_typedef && ret->tag != DW_TAG_const_type &&
            ret->tag != DW_TAG_volatile_type)
            return true;
        type = ret->type;
    }
    return false;
}

/* Names that the language keeps for libraries. */
static bool is_of_library(struct loupe_span name) {
    return name.length > 1 && name.bytes[0] == '_' &&
           (name.bytes[1] == '_' || (name.bytes[1] >= 'A' && name.bytes[1] <= 'Z'));
}

/* Where a virtual base stands, an object tells, not its class. */
static bool is_data(const struct loupe_dwarf_entry *entry) {
    return entry->has_location && !entry->is_artificial && !entry->is_virtual &&
           (entry->tag == DW_TAG_member || entry->tag == DW_TAG_inheritance);
}

/* ---- Members ---- */

static void tell(const struct object *object, uint64_t offset, uint64_t size, size_t length) {
    struct loupe_class_member member = {
        .wanted = object->wanted, .offset = offset, .size = size, .name = {object->path, length}};
    if (length && size)
        object->members->visit(object->members->ctx, &member);
}

/* The path with a member behind it; its length, or 0: there is no room. */
static size_t add_to_path(struct object *object, size_t length, struct loupe_span name) {
    if (!name.length)
        return length;
    if (name.length >= LONGEST_PATH - length - 1)
        return 0;
    if (length)
        object->path[length++] = '.';
    memcpy(object->path + length, name.bytes, name.length);
    return length + name.length;
}

/* Goes into a structure. False: it is none, or too deep in others. */
static bool enter(struct object *object, const struct loupe_dwarf_entry *type,
                  struct loupe_cursor inside, uint64_t base, size_t path_length) {
    if (object->level_count == MOST_LEVELS || !is_structure(type->tag) || !type->has_children)
        return false;
    object->levels[object->level_count++] =
        (struct level){.cursor = inside, .base = base, .path_length = path_length, .depth = 1};
    return true;
}

/* Bytes of a member without members. */
static uint64_t size_of(const struct object *object, const struct loupe_dwarf_entry *type) {
    return is_pointer(type->tag) || !type->size ? object->unit->address_size : type->size;
}

/* "variant" of "variant<int, std::string>", where it is a type that may have others' objects in it;
 * empty: it is another. */
static struct loupe_span container_called(struct loupe_span name) {
    static const char *const containers[] = {"any<",
                                             "array<",
                                             "atomic<",
                                             "deque<",
                                             "forward_list<",
                                             "function<",
                                             "future<",
                                             "list<",
                                             "map<",
                                             "move_only_function<",
                                             "multimap<",
                                             "multiset<",
                                             "optional<",
                                             "packaged_task<",
                                             "priority_queue<",
                                             "promise<",
                                             "queue<",
                                             "set<",
                                             "shared_future<",
                                             "stack<",
                                             "tuple<",
                                             "unordered_map<",
                                             "unordered_multimap<",
                                             "unordered_multiset<",
                                             "unordered_set<",
                                             "variant<",
                                             "vector<"};
    static const char without_arguments[] = "any";
    if (loupe_span_equals(name, without_arguments))
        return name;
    for (unsigned i = 0; i < sizeof(containers) / sizeof(containers[0]); i++) {
        if (loupe_span_starts_with(name, containers[i]))
            return (struct loupe_span){name.bytes, strlen(containers[i]) - 1};
    }
    return (struct loupe_span){.bytes = ""};
}

/* "tracks (vector)": all of it has that name. False: it is another, or there is no room. */
static bool tell_container(struct object *object, const struct loupe_dwarf_entry *type,
                           uint64_t base, size_t length) {
    struct loupe_span name =
        container_called(loupe_dwarf_text(&object->members->walk, &type->name));
    if (!length || !name.length || !is_structure(type->tag) ||
        length + name.length + 3 >= LONGEST_PATH)
        return false;
    memcpy(object->path + length, " (", 2);
    memcpy(object->path + length + 2, name.bytes, name.length);
    memcpy(object->path + length + 2 + name.length, ")", 1);
    tell(object, base, size_of(object, type), length + name.length + 3);
    return true;
}

/* What a library has is called as the member that it is of. */
static void take_member(struct object *object, const struct loupe_dwarf_entry *entry) {
    const struct level *level = &object->levels[object->level_count - 1];
    struct loupe_span name = loupe_dwarf_text(&object->members->walk, &entry->name);
    struct loupe_dwarf_entry type = {.tag = 0};
    struct loupe_cursor inside;
    uint64_t base = level->base + entry->location;
    bool is_librarys = is_of_library(name);
    size_t length =
        is_librarys ? level->path_length : add_to_path(object, level->path_length, name);
    bool is_known = find_type(object->members, object->unit, entry->type, &type, &inside);
    if (is_known && !is_librarys && entry->tag == DW_TAG_member &&
        tell_container(object, &type, base, length))
        return;
    if (!is_known || is_librarys || !enter(object, &type, inside, base, length))
        tell(object, base, size_of(object, &type), length);
}

static void visit_class(struct members *members, const struct loupe_dwarf_unit *unit,
                        struct loupe_cursor cursor, uint32_t wanted) {
    struct object object = {.members = members, .unit = unit, .wanted = wanted};
    struct loupe_dwarf_entry entry;
    object.levels[object.level_count++] = (struct level){.cursor = cursor, .depth = 1};
    while (object.level_count) {
        struct level *level = &object.levels[object.level_count - 1];
        if (!level->depth ||
            !loupe_dwarf_next_entry(&members->walk, unit, &level->cursor, &entry)) {
            object.level_count--;
            continue;
        }
        bool is_member = level->depth == 1 && is_data(&entry);
        level->depth = !entry.tag ? level->depth - 1 : level->depth + entry.has_children;
        if (is_member)
            take_member(&object, &entry);
    }
}

/* ---- Classes ---- */

/* What is around an entry; key: of its name, 0 in a function, where classes have none. */
struct scopes {
    uint64_t keys[MOST_SCOPES];
    unsigned depth;
};

static uint64_t key_in(struct members *members, uint64_t around,
                       const struct loupe_dwarf_entry *entry) {
    static const struct loupe_span between = {"::", 2};
    struct loupe_span name = loupe_dwarf_text(&members->walk, &entry->name);
    if (!name.length && entry->tag == DW_TAG_namespace)
        name = loupe_span_of("(anonymous namespace)");
    if (!name.length || !around)
        return 0;
    return add_to_key(around == LOUPE_FNV_BASIS ? around : add_to_key(around, between), name);
}

static void take_class(struct members *members, const struct loupe_dwarf_unit *unit,
                       struct loupe_cursor cursor, uint64_t key) {
    uint32_t wanted, ignored;
    if (!key || !loupe_map_find(&members->wanted->by_key, key, &wanted) ||
        loupe_map_find(&members->done, wanted, &ignored))
        return;
    members->status = loupe_map_put(&members->done, wanted, 0);
    visit_class(members, unit, cursor, wanted);
}

/* Where the entries go on behind those that an entry has. */
static bool pass_over(struct loupe_cursor *cursor, const struct loupe_dwarf_head *head) {
    if (!head->has_children || head->sibling <= cursor->at || head->sibling > cursor->end)
        return false;
    cursor->at = head->sibling;
    return true;
}

static bool has_classes(uint64_t tag) {
    return tag == DW_TAG_namespace || is_structure(tag);
}

static void visit_unit(struct members *members, const struct loupe_dwarf_unit *unit,
                       struct loupe_cursor cursor) {
    struct scopes scopes = {.keys = {LOUPE_FNV_BASIS}, .depth = 1};
    struct loupe_dwarf_head head;
    struct loupe_dwarf_entry entry;
    uint32_t ignored;
    /* Cap: the rest of the unit tells nothing. */
    while (scopes.depth && scopes.depth < MOST_SCOPES && !members->status) {
        struct loupe_cursor start = cursor;
        uint64_t around = scopes.keys[scopes.depth - 1], key = 0;
        if (!loupe_dwarf_skip_entry(&members->walk, unit, &cursor, &head))
            return;
        if (!head.tag) {
            scopes.depth--;
            continue;
        }
        if (!has_classes(head.tag) || !around) {
            if (head.has_children && !pass_over(&cursor, &head))
                scopes.keys[scopes.depth++] = 0;
            continue;
        }
        if (!loupe_dwarf_next_entry(&members->walk, unit, &start, &entry))
            return;
        key = key_in(members, around, &entry);
        if (is_structure(head.tag) && head.has_children && !entry.is_declaration)
            take_class(members, unit, cursor, key);
        bool is_around = key && loupe_map_find(&members->wanted->around, key, &ignored);
        if (head.has_children && (is_around || !pass_over(&cursor, &head)))
            scopes.keys[scopes.depth++] = is_around ? key : 0;
    }
}

/* What has no classes of C++; units that others share do not say what they are. */
static bool is_of_other_language(uint64_t language) {
    static const uint64_t others[] = {DW_LANG_C89, DW_LANG_C,   DW_LANG_C99,           DW_LANG_ObjC,
                                      DW_LANG_C11, DW_LANG_C17, DW_LANG_Mips_Assembler};
    for (unsigned i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        if (language == others[i])
            return true;
    }
    return false;
}

enum loupe_status loupe_class_members_visit(const struct loupe_dwarf_sections *sections,
                                            const struct loupe_wanted_classes *wanted,
                                            const struct loupe_chunk_ops *chunks,
                                            loupe_class_member_visitor *visit, void *ctx,
                                            struct loupe_members_missing *missing_ret) {
    struct members members = {.wanted = wanted, .visit = visit, .ctx = ctx, .missing = missing_ret};
    struct loupe_dwarf_unit unit;
    struct loupe_dwarf_entry entry;
    struct loupe_cursor cursor;
    bool more = true;
    loupe_dwarf_walk_init(&members.walk, sections, chunks);
    loupe_map_init(&members.done, chunks);
    while (!members.status && members.done.count < wanted->by_key.count) {
        members.status = loupe_dwarf_next_unit(&members.walk, &unit, &entry, &cursor, &more);
        if (members.status || !more)
            break;
        missing_ret->units += unit.is_skeleton;
        if (!is_of_other_language(entry.language))
            visit_unit(&members, &unit, cursor);
    }
    missing_ret->units += members.walk.units_passed;
    loupe_map_deinit(&members.done);
    loupe_dwarf_walk_deinit(&members.walk);
    return members.status;
}
