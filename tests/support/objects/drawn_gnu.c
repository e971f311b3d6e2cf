#include "drawn_gnu.h"

struct drawn_heap gnu_heap;
struct drawn_world gnu_world;
static enum gnu_runtime runtime;

void gnu_open_heap(enum gnu_runtime of) {
    static loupe_addr exported;
    runtime = of;
    drawn_heap_init(&gnu_heap, 8);
    gnu_world = (struct drawn_world){.heap = &gnu_heap};
    exported = drawn_alloc(&gnu_heap, 8);
    drawn_symbol_add(&gnu_heap, "__objc_exec_class", exported);
    if (of == GNUSTEP2)
        drawn_symbol_add(&gnu_heap, "__objc_load", exported);
}

void gnu_close_heap(void) {
    drawn_heap_deinit(&gnu_heap);
}

/* ---- Drawing ---- */

static loupe_addr put_ivars(const struct ivar *ivars, unsigned count) {
    loupe_addr list = drawn_alloc(&gnu_heap, 16 + 32 * (size_t)count);
    drawn_put_u32(&gnu_heap, list, count);
    if (runtime == GNUSTEP2)
        drawn_put_word(&gnu_heap, list + 8, 32);
    for (unsigned i = 0; i < count; i++) {
        loupe_addr entry = runtime == GCC ? list + 8 + 24 * i : list + 16 + 32 * i;
        drawn_put_word(&gnu_heap, entry, drawn_string(&gnu_heap, ivars[i].name));
        drawn_put_word(&gnu_heap, entry + 8, drawn_string(&gnu_heap, ivars[i].type));
        if (runtime == GCC) {
            drawn_put_u32(&gnu_heap, entry + 16, ivars[i].offset);
            continue;
        }
        loupe_addr offset = drawn_alloc(&gnu_heap, 4);
        drawn_put_u32(&gnu_heap, offset, ivars[i].offset);
        drawn_put_word(&gnu_heap, entry + 16, offset);
        drawn_put_u32(&gnu_heap, entry + 24, ivars[i].size);
        drawn_put_u32(&gnu_heap, entry + 28, ivars[i].ownership | 3 << 3);
    }
    return list;
}

loupe_addr gnu_put_class_words(const char *name, loupe_addr isa, loupe_addr superclass,
                               uint64_t info, uint64_t size, loupe_addr ivars) {
    loupe_addr cls = drawn_alloc(&gnu_heap, 8 * (CLASS_WORDS + REFERENCE_LIST_WORDS));
    const uint64_t words[] = {isa, superclass, drawn_string(&gnu_heap, name), 0, info, size, ivars};
    for (unsigned i = 0; i < 7; i++)
        drawn_put_word(&gnu_heap, cls + 8 * i, words[i]);
    return cls;
}

loupe_addr gnu_put_class(const char *name, loupe_addr superclass, uint64_t size,
                         const struct ivar *ivars, unsigned count) {
    bool gcc = runtime == GCC;
    loupe_addr meta =
        gnu_put_class_words(name, 0, 0, gcc ? META_INFO | RESOLVED : META_2, 8 * CLASS_WORDS, 0);
    drawn_put_word(&gnu_heap, meta, meta);
    return gnu_put_class_words(name, meta, superclass, gcc ? CLASS_INFO | RESOLVED : CLASS_2, size,
                               count ? put_ivars(ivars, count) : 0);
}

loupe_addr gnu_put_object(loupe_addr cls, size_t size) {
    loupe_addr object = drawn_alloc(&gnu_heap, size + 16) + 16;
    drawn_put_word(&gnu_heap, object, cls);
    return object;
}

loupe_addr gnu_put_root(void) {
    return gnu_put_class("NSObject", 0, 8, NULL, 0);
}
