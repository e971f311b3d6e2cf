#include "cxx/control_block.h"

#include "cxx/type_name.h"
#include "cxx/type_tree.h"

#include <string.h>

/* Templates over what is shared, by the ends of their names: libc++ has a namespace of its version
 * in it. */
static const struct control_class {
    const char *scope, *name;
    struct loupe_control_layout layout; /* holds_object: std::make_shared */
} classes[] = {
    {"std::", "::_Sp_counted_ptr_inplace", {.holds_object = true}},
    {"std::", "::_Sp_counted_ptr", {.holds_object = false}},
    {"std::", "::_Sp_counted_deleter", {.holds_object = false}},
    {"std::", "::__shared_ptr_emplace", {.holds_object = true, .counts_one_less = true}},
    {"std::", "::__shared_ptr_pointer", {.counts_one_less = true}},
    {"boost::detail", "::sp_counted_impl_p", {.holds_object = false}},
    {"boost::detail", "::sp_counted_impl_pd", {.holds_object = false}},
};

static bool is_called(const char *name, const struct control_class *control) {
    size_t length = strlen(name), end = strlen(control->name);
    return strncmp(name, control->scope, strlen(control->scope)) == 0 && length >= end &&
           strcmp(name + length - end, control->name) == 0;
}

static const struct control_class *control_class_of(const struct cxx_tree *tree,
                                                    const struct cxx_node *type) {
    char name[64];
    if (type->kind != CXX_TEMPLATE || !type->right ||
        !cxx_print(tree, type->left, name, sizeof(name)))
        return NULL;
    for (unsigned i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
        if (is_called(name, &classes[i]))
            return &classes[i];
    }
    return NULL;
}

/* The first argument is the type, or a pointer to it; it may be const. */
static uint16_t managed_type(const struct cxx_tree *tree, const struct cxx_node *type,
                             bool holds_object) {
    uint16_t managed = tree->nodes[type->right].left;
    if (!holds_object && tree->nodes[managed].kind == CXX_POINTER)
        managed = tree->nodes[managed].left;
    return tree->nodes[managed].kind == CXX_QUALIFIED ? tree->nodes[managed].left : managed;
}

static bool name_control_block(const struct cxx_tree *tree, uint16_t type, char *dst, size_t cap) {
    static const char before[] = "control block of ", behind[] = " (make_shared)";
    const struct control_class *control = control_class_of(tree, &tree->nodes[type]);
    if (!control || cap < sizeof(before) + sizeof(behind))
        return false;
    bool holds_object = control->layout.holds_object;
    size_t start = holds_object ? 0 : strlen(before);
    memcpy(dst, before, start);
    if (!cxx_print(tree, managed_type(tree, &tree->nodes[type], holds_object), dst + start,
                   cap - start - sizeof(behind)))
        return false;
    if (holds_object)
        memcpy(dst + strlen(dst), behind, sizeof(behind));
    return true;
}

void loupe_cxx_class_name(const char *mangled, char *dst, size_t cap) {
    struct cxx_tree tree;
    uint16_t type = cxx_read_type(&tree, loupe_span_of(mangled));
    if (!type || (!name_control_block(&tree, type, dst, cap) && !cxx_print(&tree, type, dst, cap)))
        loupe_format(dst, cap, "%s", mangled);
}

bool loupe_cxx_control_layout(const char *mangled, struct loupe_control_layout *ret, char *managed,
                              size_t cap) {
    struct cxx_tree tree;
    uint16_t type = cxx_read_type(&tree, loupe_span_of(mangled));
    const struct control_class *control = type ? control_class_of(&tree, &tree.nodes[type]) : NULL;
    if (!control)
        return false;
    *ret = control->layout;
    return cxx_print(&tree, managed_type(&tree, &tree.nodes[type], ret->holds_object), managed,
                     cap);
}
