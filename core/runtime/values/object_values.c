#include "runtime/values/object_values.h"

#include "runtime/containers/containers.h"
#include "runtime/containers/containers_apple.h"
#include "runtime/values/apple_numbers.h"
#include "runtime/values/foundation_values.h"
#include "runtime/values/string_text.h"
#include "runtime/values/tagged_values.h"
#include "runtime/values/typed_values.h"
#include "snapshot/values/value_text.h"

#include <string.h>

enum { MOST_BYTES_READ = 1 << 16, SHOWN_BYTES = 16 };

struct value {
    struct loupe_target *target;
    const struct loupe_object *object;
    struct loupe_value_text *text;
};

typedef bool put_fn(const struct value *value, uint32_t offset);

/* Of a class and what inherits from it, by an ivar that there has to be. */
struct rule {
    const char *class_name;
    const char *ivar;
    put_fn *put;
};

static bool read_word(const struct value *value, uint32_t offset, uint64_t *ret) {
    return !loupe_memory_read_word(value->target->memory, value->object->address + offset, ret);
}

static bool read_bytes(const struct value *value, uint32_t offset, void *dst, size_t size) {
    return !loupe_memory_read(value->target->memory, value->object->address + offset, dst, size);
}

static bool has_ivar(const struct value *value, const char *name, uint32_t *ret) {
    return loupe_container_ivar(value->target, value->object->cls, name, ret);
}

/* ---- Strings ---- */

/* The text of the object that an ivar leads to, without quotes. */
static bool put_text_of(const struct value *value, uint32_t offset) {
    struct loupe_object object;
    uint64_t address;
    struct loupe_string_part part;
    if (!read_word(value, offset, &address) || !address)
        return false;
    if (loupe_is_tagged(value->target, address))
        return loupe_put_tagged_string(&value->target->tagging, address, value->text);
    if (loupe_object_at(value->target, address, &object, NULL))
        return false;
    return loupe_string_part(value->target, &object, &part) &&
           loupe_put_string_part(value->target, &part, value->text);
}

static bool put_string(const struct value *value) {
    struct loupe_string_part part;
    if (!loupe_string_part(value->target, value->object, &part))
        return false;
    loupe_put_words(value->text, "\"");
    return loupe_put_string_part(value->target, &part, value->text);
}

/* ---- Numbers ---- */

static const char *type_of_ivar(const struct value *value, const char *name) {
    struct loupe_class_chain chain = loupe_class_chain(value->object->cls);
    const struct loupe_class *level;
    const struct loupe_class_layout *layout;
    while ((level = loupe_class_chain_next(value->target, &chain))) {
        if (loupe_class_layout(value->target, level, &layout))
            return "";
        for (uint32_t i = 0; i < layout->ivar_count; i++) {
            if (strcmp(layout->ivars[i].name, name) == 0)
                return layout->ivars[i].type;
        }
    }
    return "";
}

/* As the type of the ivar says. */
static bool put_ivar(const struct value *value, const char *name, uint32_t offset) {
    return loupe_put_number(value->target, type_of_ivar(value, name)[0],
                            value->object->address + offset, value->text);
}

/* gnustep-base has a subclass of NSNumber for each type, with an ivar of that type. */
static bool put_number(const struct value *value, uint32_t offset) {
    return put_ivar(value, "value", offset);
}

/* ---- Others ---- */

static bool put_date(const struct value *value, uint32_t offset) {
    uint64_t bits;
    return read_bytes(value, offset, &bits, sizeof(bits)) && loupe_put_date(value->text, bits);
}

/* How long it is, and how it begins. */
static bool put_data(const struct value *value, uint32_t offset) {
    uint64_t length, address;
    uint32_t bytes_at;
    uint8_t bytes[SHOWN_BYTES];
    if (!read_word(value, offset, &length) ||
        !(has_ivar(value, "bytes", &bytes_at) || has_ivar(value, "_bytes", &bytes_at)) ||
        !read_word(value, bytes_at, &address))
        return false;
    size_t shown = length < SHOWN_BYTES ? (size_t)length : SHOWN_BYTES;
    if (shown && loupe_memory_read(value->target->memory, address, bytes, shown))
        return false;
    loupe_put_unsigned(value->text, length);
    loupe_put_words(value->text, length == 1 ? " byte" : " bytes");
    for (size_t i = 0; i < shown; i++) {
        char hex[] = {i ? ' ' : ':', "0123456789abcdef"[bytes[i] >> 4],
                      "0123456789abcdef"[bytes[i] & 15], '\0'};
        if (!i) {
            loupe_put_words(value->text, ":");
            hex[0] = ' ';
        }
        loupe_put_words(value->text, hex);
    }
    loupe_put_words(value->text, shown < length ? " ..." : "");
    return true;
}

/* "NSCocoaErrorDomain 260" */
static bool put_error(const struct value *value, uint32_t offset) {
    uint32_t code_at;
    if (!put_text_of(value, offset) || !has_ivar(value, "_code", &code_at))
        return false;
    loupe_put_words(value->text, " ");
    return put_ivar(value, "_code", code_at);
}

/* "NSRangeException: index 3 beyond bounds" */
static bool put_exception(const struct value *value, uint32_t offset) {
    uint32_t reason_at;
    if (!put_text_of(value, offset))
        return false;
    loupe_put_words(value->text, ": ");
    if (has_ivar(value, "_e_reason", &reason_at) || has_ivar(value, "reason", &reason_at))
        put_text_of(value, reason_at);
    return true;
}

/* ---- Boxes ---- */

static loupe_addr address_of(const struct value *value, uint32_t offset) {
    return value->object->address + offset;
}

/* gnustep-base's keeps a digit in each byte; built with GMP it is not known. */
static bool put_decimal(const struct value *value, uint32_t offset) {
    return loupe_span_contains(loupe_span_of(type_of_ivar(value, "data")), "[38C]") &&
           loupe_put_gnustep_decimal(value->target, address_of(value, offset), value->text);
}

static bool put_apple_decimal(const struct value *value, uint32_t offset) {
    return loupe_put_apple_decimal(value->target, address_of(value, offset), value->text);
}

static bool put_uuid(const struct value *value, uint32_t offset) {
    return loupe_put_uuid(value->target, address_of(value, offset), value->text);
}

static bool put_indexes(const struct value *value, uint32_t offset) {
    return loupe_put_gnustep_indexes(value->target, address_of(value, offset), value->text);
}

/* A range, a point, a rectangle: an ivar of that type. */
static bool put_plain_box(const struct value *value, uint32_t offset) {
    return loupe_put_typed(value->target, loupe_span_of(type_of_ivar(value, "data")),
                           address_of(value, offset), value->text);
}

/* Any other type, by the name that it was boxed with. */
static bool put_other_box(const struct value *value, uint32_t offset) {
    enum { LONGEST_TYPE = 1 << 10 };
    uint64_t type_address, data;
    uint32_t data_at;
    const char *type;
    return read_word(value, offset, &type_address) && has_ivar(value, "data", &data_at) &&
           read_word(value, data_at, &data) &&
           !loupe_target_string(value->target, type_address, LONGEST_TYPE, &type) &&
           loupe_put_typed(value->target, loupe_span_of(type), data, value->text);
}

/* ---- Collections: how many items ---- */

static bool put_items(const struct value *value, uint64_t count) {
    if (count > LOUPE_MAX_ELEMENTS)
        return false;
    loupe_put_unsigned(value->text, count);
    loupe_put_words(value->text, count == 1 ? " item" : " items");
    return true;
}

static bool put_count(const struct value *value, uint32_t offset) {
    uint32_t count;
    return read_bytes(value, offset, &count, sizeof(count)) && put_items(value, count);
}

static bool put_word_count(const struct value *value, uint32_t offset) {
    uint64_t count;
    return read_word(value, offset, &count) && put_items(value, count);
}

/* Of a table of gnustep-base's: its first word is a zone, the next one the count. */
static bool put_map_count(const struct value *value, uint32_t offset) {
    return put_word_count(value, offset + value->target->memory->machine.pointer_size);
}

/* Of an array of gnustep-base's in an object: the address of the items, then their number. */
static bool put_array_count(const struct value *value, uint32_t offset) {
    return put_count(value, offset + value->target->memory->machine.pointer_size);
}

static bool read_count(const struct value *value, const struct loupe_container_rule *rule,
                       uint64_t *ret) {
    uint64_t all_bits = rule->count_bits < 64 ? ((uint64_t)1 << rule->count_bits) - 1 : UINT64_MAX;
    if (!read_bytes(value, rule->count_at, ret, rule->count_size))
        return false;
    *ret &= all_bits;
    return true;
}

/* CoreFoundation's have no ivars that tell. */
static bool put_private_count(const struct value *value) {
    uint64_t count = 0;
    const struct loupe_class *level;
    if (value->target->abi->container_rules != loupe_containers_apple)
        return false;
    const struct loupe_container_rule *rule =
        loupe_container_rule_inherited(value->target, value->object->cls, &level);
    if (rule && rule->find == apple_find_single)
        return put_items(value, 1);
    return rule && rule->count_size && read_count(value, rule, &count) && put_items(value, count);
}

static const struct rule rules[] = {
    {"NSDecimalNumber", "data", put_decimal},
    {"NSDecimalNumber", "_mantissa", put_apple_decimal},
    {"NSNumber", "value", put_number},
    {"NSDate", "_seconds_since_ref", put_date},
    {"NSDate", "_time", put_date},
    {"NSData", "length", put_data},
    {"NSData", "_length", put_data},
    {"NSURL", "_urlString", put_text_of},
    {"NSUUID", "uuid", put_uuid},
    {"NSIndexSet", "_data", put_indexes},
    {"NSValue", "objctype", put_other_box},
    {"NSValue", "data", put_plain_box},
    {"NSError", "_domain", put_error},
    {"NSException", "_e_name", put_exception},
    {"NSException", "name", put_exception},
    {"NSArray", "_count", put_count},
    {"NSDictionary", "map", put_map_count},
    {"NSSet", "map", put_map_count},
    {"NSOrderedSet", "array", put_array_count},
    {"NSPointerArray", "_count", put_word_count},
    {"NSMapTable", "nodeCount", put_word_count},
    {"NSHashTable", "nodeCount", put_word_count},
};

static bool inherits(const struct value *value, const char *name) {
    struct loupe_class_chain chain = loupe_class_chain(value->object->cls);
    const struct loupe_class *level;
    while ((level = loupe_class_chain_next(value->target, &chain))) {
        if (strcmp(level->name, name) == 0)
            return true;
    }
    return false;
}

/* ---- By class ---- */

/* By number of a rule: whether objects of the class may follow it. */
typedef uint32_t rule_set;
enum { RULES = sizeof(rules) / sizeof(rules[0]) };
_Static_assert(RULES <= 8 * sizeof(rule_set), "each rule has a bit");

static rule_set find_rules(const struct value *value) {
    rule_set set = 0;
    uint32_t offset;
    /* Cap: all rules. */
    for (unsigned i = 0; i < RULES; i++) {
        if (has_ivar(value, rules[i].ivar, &offset) && inherits(value, rules[i].class_name))
            set |= (rule_set)1 << i;
    }
    return set;
}

/* NULL without memory for it. */
static struct loupe_map *rules_by_class(struct loupe_target *target) {
    if (!target->value_rules &&
        (target->value_rules = loupe_arena_alloc(&target->arena, sizeof(*target->value_rules))))
        loupe_map_init(target->value_rules, &target->arena_chunks);
    return target->value_rules;
}

/* A class is looked at once: most have no value, which takes all rules to know. */
static rule_set rules_of(const struct value *value) {
    struct loupe_map *known = rules_by_class(value->target);
    rule_set set;
    if (known && loupe_map_find(known, value->object->cls->number, &set))
        return set;
    set = find_rules(value);
    if (known)
        loupe_map_put(known, value->object->cls->number, set);
    return set;
}

static bool put_by_rules(const struct value *value) {
    bool done = false;
    uint32_t offset;
    for (rule_set set = rules_of(value); set && !done; set &= set - 1) {
        const struct rule *rule = &rules[__builtin_ctz(set)];
        value->text->used = 0;
        done = has_ivar(value, rule->ivar, &offset) && rule->put(value, offset);
    }
    return done;
}

size_t loupe_object_value(struct loupe_target *target, const struct loupe_object *object, char *dst,
                          size_t cap) {
    enum { TAIL = sizeof("...\"") };
    if (cap <= TAIL)
        return 0;
    struct loupe_value_text text = {.dst = dst, .room = cap - TAIL};
    struct value value = {.target = target, .object = object, .text = &text};
    bool is_string = put_string(&value), done = is_string || put_by_rules(&value);
    if (!done) {
        text.used = 0;
        done = put_private_count(&value) || loupe_put_apple_number(target, object, &text);
    }
    if (!done) {
        dst[0] = '\0';
        return 0;
    }
    bool cut = text.cut;
    text.cut = false;
    text.room = cap - 1;
    loupe_put_words(&text, cut ? "..." : "");
    loupe_put_words(&text, is_string ? "\"" : "");
    dst[text.used] = '\0';
    return text.used;
}
