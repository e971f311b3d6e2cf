/* Writes types as a person does: what a pointer leads to stands around it. */
#include "cxx/type_tree.h"

#include <string.h>

struct printing {
    const struct cxx_tree *tree;
    char *dst;
    size_t length, cap;
    unsigned depth, steps;
    bool failed; /* no room, too deep, or too long: empty lists can be nested to write nothing */
};

enum { MOST_STEPS = 1 << 14 };

static void print(struct printing *printing, uint16_t number);
static void print_left(struct printing *printing, uint16_t number);
static void print_name(struct printing *printing, const struct cxx_node *node);
static void print_right(struct printing *printing, uint16_t number);

static void put_span(struct printing *printing, struct loupe_span text) {
    if (text.length >= printing->cap - printing->length)
        printing->failed = true;
    if (printing->failed)
        return;
    memcpy(printing->dst + printing->length, text.bytes, text.length);
    printing->length += text.length;
}

static void put(struct printing *printing, const char *text) {
    put_span(printing, loupe_span_of(text));
}

static void put_number(struct printing *printing, uint32_t number) {
    char text[16];
    loupe_format(text, sizeof(text), "%u", number);
    put(printing, text);
}

static const struct cxx_node *node_at(const struct printing *printing, uint16_t number) {
    return &printing->tree->nodes[number];
}

static bool may_go_on(struct printing *printing) {
    if (printing->depth == CXX_DEEPEST * 4 || ++printing->steps > MOST_STEPS)
        printing->failed = true;
    return !printing->failed;
}

static char last(const struct printing *printing) {
    return printing->length ? printing->dst[printing->length - 1] : '\0';
}

/* ---- Lists ---- */

/* With commas, but none around packs that are empty. */
static void print_items(struct printing *printing, uint16_t list, bool *begun) {
    for (; list && may_go_on(printing); list = node_at(printing, list)->right) {
        uint16_t item = node_at(printing, list)->left;
        if (node_at(printing, item)->kind == CXX_PACK) {
            printing->depth++;
            print_items(printing, node_at(printing, item)->left, begun);
            printing->depth--;
            continue;
        }
        if (*begun)
            put(printing, ", ");
        *begun = true;
        print(printing, item);
    }
}

static void print_list(struct printing *printing, uint16_t list) {
    bool begun = false;
    print_items(printing, list, &begun);
}

/* One that is (void) takes nothing. */
static void print_parameters(struct printing *printing, uint16_t list) {
    const struct cxx_node *entry = node_at(printing, list);
    bool is_void =
        list && !entry->right &&
        loupe_span_equals(cxx_text(printing->tree, node_at(printing, entry->left)), "void") &&
        node_at(printing, entry->left)->kind == CXX_NAME;
    put(printing, "(");
    if (!is_void)
        print_list(printing, list);
    put(printing, ")");
}

static void print_qualifiers(struct printing *printing, unsigned flags) {
    static const struct {
        unsigned flag;
        const char *text;
    } words[] = {{CXX_CONST, " const"},         {CXX_VOLATILE, " volatile"},
                 {CXX_RESTRICT, " __restrict"}, {CXX_LVALUE_THIS, " &"},
                 {CXX_RVALUE_THIS, " &&"},      {CXX_NOEXCEPT, " noexcept"}};
    for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (flags & words[i].flag)
            put(printing, words[i].text);
    }
}

/* ---- Names ---- */

static void print_literal(struct printing *printing, const struct cxx_node *node) {
    static const struct {
        const char *type, *suffix;
    } plain[] = {{"int", ""},         {"unsigned int", "u"},
                 {"long", "l"},       {"unsigned long", "ul"},
                 {"long long", "ll"}, {"unsigned long long", "ull"}};
    const struct cxx_node *type = node_at(printing, node->left);
    struct loupe_span text = cxx_text(printing->tree, node), name = cxx_text(printing->tree, type);
    bool negative = text.length && text.bytes[0] == 'n';
    struct loupe_span digits = {.bytes = text.bytes + negative, .length = text.length - negative};
    const char *suffix = NULL;
    for (unsigned i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
        if (type->kind == CXX_NAME && loupe_span_equals(name, plain[i].type))
            suffix = plain[i].suffix;
    }
    if (type->kind == CXX_NAME && loupe_span_equals(name, "bool") && text.length == 1) {
        put(printing, text.bytes[0] == '0' ? "false" : "true");
        return;
    }
    if (!suffix) {
        put(printing, "(");
        print(printing, node->left);
        put(printing, ")");
    }
    put(printing, negative ? "-" : "");
    put_span(printing, digits);
    put(printing, suffix ? suffix : "");
}

static void print_template(struct printing *printing, const struct cxx_node *node) {
    print(printing, node->left);
    put(printing, last(printing) == '<' ? " <" : "<");
    print_list(printing, node->right);
    put(printing, last(printing) == '>' ? " >" : ">");
}

static void print_conversion(struct printing *printing, const struct cxx_node *node) {
    put(printing, node->left ? "operator " : "operator");
    print(printing, node->left ? node->left : node->right);
}

/* What a member function takes tells nothing here, unless it is for some objects only. */
static void print_address(struct printing *printing, const struct cxx_node *of) {
    bool is_member = node_at(printing, of->left)->kind == CXX_NESTED;
    bool qualified =
        of->kind == CXX_ENCODING && (node_at(printing, of->right)->flags || !is_member);
    put(printing, qualified ? "&(" : "&");
    if (of->kind == CXX_ENCODING)
        print(printing, of->left);
    else
        print_name(printing, of);
    if (qualified)
        print_right(printing, of->right);
    put(printing, qualified ? ")" : "");
}

static void print_numbered(struct printing *printing, const char *before, uint32_t number,
                           const char *behind) {
    put(printing, before);
    put_number(printing, number);
    put(printing, behind);
}

static void print_pair(struct printing *printing, const struct cxx_node *node) {
    print(printing, node->left);
    put(printing, "::");
    print(printing, node->right);
}

static void print_name(struct printing *printing, const struct cxx_node *node) {
    switch ((enum cxx_node_kind)node->kind) {
    case CXX_NESTED:
    case CXX_LOCAL:
        print_pair(printing, node);
        break;
    case CXX_TEMPLATE:
        print_template(printing, node);
        break;
    case CXX_TAGGED:
        print(printing, node->left);
        put(printing, "[abi:");
        put_span(printing, cxx_text(printing->tree, node));
        put(printing, "]");
        break;
    case CXX_LAMBDA:
        put(printing, "{lambda");
        print_parameters(printing, node->left);
        print_numbered(printing, "#", node->number, "}");
        break;
    case CXX_UNNAMED:
        print_numbered(printing, "{unnamed type#", node->number, "}");
        break;
    case CXX_ADDRESS:
        print_address(printing, node_at(printing, node->left));
        break;
    case CXX_DEFAULT_ARGUMENT:
        print_numbered(printing, "{default arg#", node->number, "}");
        break;
    case CXX_AUTO:
        print_numbered(printing, "auto:", node->number, "");
        break;
    case CXX_CONSTRUCTOR:
        put(printing, node->flags & CXX_DESTROYS ? "~" : "");
        print(printing, node->left);
        break;
    case CXX_CONVERSION:
        print_conversion(printing, node);
        break;
    case CXX_LITERAL:
        print_literal(printing, node);
        break;
    default:
        put_span(printing, cxx_text(printing->tree, node));
    }
}

/* ---- Types ---- */

static enum cxx_node_kind unqualified_kind(const struct printing *printing, uint16_t number) {
    const struct cxx_node *node = node_at(printing, number);
    if (node->kind == CXX_QUALIFIED)
        node = node_at(printing, node->left);
    return (enum cxx_node_kind)node->kind;
}

static bool is_array_or_function(const struct printing *printing, uint16_t number) {
    enum cxx_node_kind kind = unqualified_kind(printing, number);
    return kind == CXX_ARRAY || kind == CXX_FUNCTION;
}

/* Whether something of a type stands behind what it is the type of. */
static bool has_right(const struct printing *printing, uint16_t number) {
    const struct cxx_node *node = node_at(printing, number);
    while (node->kind == CXX_QUALIFIED || node->kind == CXX_POINTER ||
           node->kind == CXX_REFERENCE || node->kind == CXX_RVALUE ||
           node->kind == CXX_MEMBER_POINTER)
        node = node_at(printing, node->kind == CXX_MEMBER_POINTER ? node->right : node->left);
    return node->kind == CXX_ARRAY || node->kind == CXX_FUNCTION;
}

/* A function writes the space before its parenthesis itself. */
static void print_pointer_left(struct printing *printing, uint16_t to) {
    enum cxx_node_kind kind = unqualified_kind(printing, to);
    print_left(printing, to);
    put(printing, kind == CXX_FUNCTION ? "(" : kind == CXX_ARRAY ? " (" : "");
}

static void print_pointer_right(struct printing *printing, uint16_t to) {
    put(printing, is_array_or_function(printing, to) ? ")" : "");
    print_right(printing, to);
}

/* A reference to a reference is the weaker one. */
static uint16_t referred(const struct printing *printing, uint16_t number, bool *is_rvalue) {
    const struct cxx_node *node = node_at(printing, number);
    *is_rvalue = node->kind == CXX_RVALUE;
    for (node = node_at(printing, node->left);
         node->kind == CXX_REFERENCE || node->kind == CXX_RVALUE;
         node = node_at(printing, node->left)) {
        *is_rvalue = *is_rvalue && node->kind == CXX_RVALUE;
        number = (uint16_t)(node - printing->tree->nodes);
    }
    return node_at(printing, number)->left;
}

static void print_left_of(struct printing *printing, uint16_t number, const struct cxx_node *node) {
    bool rvalue;
    uint16_t to;
    switch ((enum cxx_node_kind)node->kind) {
    case CXX_QUALIFIED:
        print_left(printing, node->left);
        print_qualifiers(printing, node->flags);
        break;
    case CXX_POINTER:
        print_pointer_left(printing, node->left);
        put(printing, "*");
        break;
    case CXX_REFERENCE:
    case CXX_RVALUE:
        to = referred(printing, number, &rvalue);
        print_pointer_left(printing, to);
        put(printing, rvalue ? "&&" : "&");
        break;
    case CXX_MEMBER_POINTER:
        print_pointer_left(printing, node->right);
        put(printing, last(printing) == '(' ? "" : " ");
        print(printing, node->left);
        put(printing, "::*");
        break;
    case CXX_ARRAY:
        print_left(printing, node->left);
        break;
    case CXX_FUNCTION:
        print_left(printing, node->left);
        put(printing, has_right(printing, node->left) ? "" : " ");
        break;
    case CXX_ENCODING:
        print(printing, node->left);
        print_right(printing, node->right);
        break;
    default:
        print_name(printing, node);
    }
}

static void print_right_of(struct printing *printing, uint16_t number,
                           const struct cxx_node *node) {
    bool ignored;
    switch ((enum cxx_node_kind)node->kind) {
    case CXX_QUALIFIED:
        print_right(printing, node->left);
        break;
    case CXX_POINTER:
        print_pointer_right(printing, node->left);
        break;
    case CXX_REFERENCE:
    case CXX_RVALUE:
        print_pointer_right(printing, referred(printing, number, &ignored));
        break;
    case CXX_MEMBER_POINTER:
        print_pointer_right(printing, node->right);
        break;
    case CXX_ARRAY:
        put(printing, last(printing) == ']' ? "[" : " [");
        put_span(printing, cxx_text(printing->tree, node));
        put(printing, "]");
        print_right(printing, node->left);
        break;
    case CXX_FUNCTION:
        print_parameters(printing, node->right);
        print_qualifiers(printing, node->flags);
        print_right(printing, node->left);
        break;
    default:
        break;
    }
}

static void print_left(struct printing *printing, uint16_t number) {
    if (!number || !may_go_on(printing))
        return;
    printing->depth++;
    print_left_of(printing, number, node_at(printing, number));
    printing->depth--;
}

static void print_right(struct printing *printing, uint16_t number) {
    if (!number || !may_go_on(printing))
        return;
    printing->depth++;
    print_right_of(printing, number, node_at(printing, number));
    printing->depth--;
}

static void print(struct printing *printing, uint16_t number) {
    print_left(printing, number);
    print_right(printing, number);
}

bool cxx_print(const struct cxx_tree *tree, uint16_t node, char *dst, size_t cap) {
    struct printing printing = {.tree = tree, .dst = dst, .cap = cap};
    print(&printing, node);
    dst[printing.failed ? 0 : printing.length] = '\0';
    return !printing.failed;
}
