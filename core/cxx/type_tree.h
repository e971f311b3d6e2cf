/*
 * type_tree.h - a mangled name as a tree: what type_name.c reads and type_print.c writes.
 *
 * Nodes are numbers in a table of fixed size, 0 is none. A substitution is one more way to a node,
 * so that the tree is a graph without circles, and may be far larger when it is written than here.
 */
#ifndef LOUPE_CXX_TYPE_TREE_H
#define LOUPE_CXX_TYPE_TREE_H

#include "base/text.h"

enum cxx_node_kind {
    CXX_NONE,
    CXX_NAME,      /* text */
    CXX_NESTED,    /* left::right */
    CXX_TEMPLATE,  /* left<right>, a list */
    CXX_LIST,      /* left, and the list right */
    CXX_PACK,      /* the list left, which may be empty */
    CXX_TAGGED,    /* left[abi:text] */
    CXX_QUALIFIED, /* left, with flags */
    CXX_POINTER,   /* to left; CXX_REFERENCE and CXX_RVALUE alike */
    CXX_REFERENCE,
    CXX_RVALUE,
    CXX_MEMBER_POINTER,   /* to right of the class left */
    CXX_ARRAY,            /* of left; text: how many */
    CXX_FUNCTION,         /* returns left (0: not said), takes the list right; flags */
    CXX_ENCODING,         /* the function called left, of the type right */
    CXX_LOCAL,            /* right in the function left */
    CXX_LAMBDA,           /* takes the list left; number */
    CXX_UNNAMED,          /* number */
    CXX_DEFAULT_ARGUMENT, /* number */
    CXX_LITERAL,          /* text of the type left */
    CXX_CONSTRUCTOR,      /* of the class left; flags: CXX_DESTROYS */
    CXX_CONVERSION,       /* operator left */
    CXX_ADDRESS,          /* of the function or variable left */
    CXX_AUTO              /* the number-th parameter of a generic lambda */
};

enum {
    CXX_CONST = 1,
    CXX_VOLATILE = 2,
    CXX_RESTRICT = 4,
    CXX_LVALUE_THIS = 8, /* of a function: it may be called for such objects */
    CXX_RVALUE_THIS = 16,
    CXX_NOEXCEPT = 32,
    CXX_DESTROYS = 64
};

struct cxx_node {
    uint8_t kind, flags;
    uint16_t left, right;
    union {
        struct {
            uint16_t at, length; /* of text, in the mangled name or in a fixed one */
        };
        uint32_t number;
    };
    const char *fixed; /* text that does not stand in the name; at is 0 then */
};

enum { CXX_MOST_NODES = 640, CXX_DEEPEST = 64 };

struct cxx_tree {
    struct loupe_span mangled;
    uint16_t count; /* nodes, the first of which is none */
    struct cxx_node nodes[CXX_MOST_NODES];
};

/* Text of a node. */
static inline struct loupe_span cxx_text(const struct cxx_tree *tree, const struct cxx_node *node) {
    const char *bytes = node->fixed ? node->fixed : tree->mangled.bytes + node->at;
    return (struct loupe_span){.bytes = bytes, .length = node->length};
}

/* type_name.c: reads the whole of mangled as a type; its node, or 0. */
uint16_t cxx_read_type(struct cxx_tree *tree, struct loupe_span mangled);

/* type_print.c: false: it does not fit, or is too deep. */
bool cxx_print(const struct cxx_tree *tree, uint16_t node, char *dst, size_t cap);

#endif
