/* What takes something out of a collection. */
#include "fix/source/removers.h"

#include "answers/json_tree.h"
#include "fix/source/doubts.h"
#include "shared/cli.h"

/* "-(void)NAME:(TYPE)ARGUMENT {", from its sign on. */
struct header {
    uint32_t name, argument;
};

static bool read_header(const struct fix_source *source, uint32_t sign, uint32_t open,
                        struct header *ret) {
    uint32_t type = sign + 1;
    if (!fix_token_is(source, type, "("))
        return false;
    ret->name = fix_closing(source, type) + 1;
    uint32_t colon = ret->name + 1;
    if (!fix_token_is(source, colon, ":") || !fix_token_is(source, colon + 1, "("))
        return false;
    ret->argument = fix_closing(source, colon + 1) + 1;
    return ret->argument + 1 == open && fix_is_name(source, ret->argument);
}

/* "[_observers removeObject:argument]" or "[self.observers removeObject:argument]". */
static bool removes(const struct fix_source *source, const struct header *header, uint32_t open,
                    struct loupe_span ivar) {
    static const char *const messages[] = {"removeObject", "removeObjectIdenticalTo"};
    uint32_t close = fix_closing(source, open);
    for (uint32_t i = open; i < close; i++) {
        struct loupe_span name = fix_token_text(source, i - 1);
        bool is_it = json_texts_equal(name, ivar) ||
                     (ivar.length > 1 && ivar.bytes[0] == '_' && fix_token_is(source, i - 2, ".") &&
                      json_texts_equal(name, (struct loupe_span){ivar.bytes + 1, ivar.length - 1}));
        if (is_it && fix_is_one_of(fix_token_text(source, i), messages, 2) &&
            fix_token_is(source, i + 1, ":") && fix_token_is(source, i + 3, "]") &&
            json_texts_equal(fix_token_text(source, i + 2),
                             fix_token_text(source, header->argument)))
            return true;
    }
    return false;
}

static void look_in(const struct fix_class *part, struct loupe_span ivar, struct loupe_span *ret,
                    uint32_t *found) {
    const struct fix_source *source = &part->file->source;
    uint32_t sign = 0;
    for (uint32_t i = part->members; i < part->end; i++) {
        struct header header;
        if (fix_token_is(source, i, ";") || fix_token_is(source, i, "+"))
            sign = 0;
        if (fix_token_is(source, i, "-") && !sign)
            sign = i;
        if (!fix_token_is(source, i, "{"))
            continue;
        if (sign && read_header(source, sign, i, &header) && removes(source, &header, i, ivar)) {
            *ret = fix_token_text(source, header.name);
            ++*found;
        }
        i = fix_closing(source, i);
        sign = 0;
    }
}

bool fix_find_remover(const struct fix_classes *classes, struct loupe_span ivar,
                      struct loupe_span *ret, struct fix_reason *reason) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < classes->count; i++) {
        if (classes->items[i].part == FIX_IMPLEMENTATION)
            look_in(&classes->items[i], ivar, ret, &found);
    }
    return found == 1 ||
           fix_refuse(reason,
                      found ? "more than one method takes what it is given out of %s"
                            : "no method is found that takes what it is given out of %s",
                      cli_printable(ivar));
}
