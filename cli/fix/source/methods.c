/* Selectors in sources. */
#include "fix/source/methods.h"

#include <string.h>

void fix_add_to_name(struct fix_name *name, struct loupe_span text) {
    name->is_cut |= text.length > sizeof(name->bytes) - name->length;
    if (name->is_cut)
        return;
    memcpy(name->bytes + name->length, text.bytes, text.length);
    name->length += text.length;
}

bool fix_read_selector(const struct fix_source *source, uint32_t at, uint32_t end,
                       struct fix_name *ret) {
    if (fix_token_is(source, at, "("))
        at = fix_closing(source, at) + 1;
    while (at < end) {
        if (fix_is_name(source, at))
            fix_add_to_name(ret, fix_token_text(source, at++));
        if (!fix_token_is(source, at, ":"))
            break;
        fix_add_to_name(ret, loupe_span_of(":"));
        at++;
        if (fix_token_is(source, at, "("))
            at = fix_closing(source, at) + 1;
        if (!fix_is_name(source, at++))
            return false;
    }
    return at == end && ret->length;
}
