/* Reads mangled names of types. */
#include "cxx/type_name.h"

#include "cxx/type_tree.h"

#include <string.h>

enum { MOST_SUBSTITUTIONS = 256 };

struct reading {
    struct cxx_tree *tree;
    size_t at;
    unsigned depth, lambdas; /* that are read now */
    uint16_t arguments;      /* list that T_ leads into: of the innermost function template */
    uint16_t substitutions[MOST_SUBSTITUTIONS];
    uint16_t substitution_count;
};

static uint16_t read_type(struct reading *reading);
static uint16_t read_name(struct reading *reading);
static uint16_t read_encoding(struct reading *reading);
static uint16_t read_function_name(struct reading *reading, unsigned *flags_ret);

/* ---- Text and nodes ---- */

static char ahead(const struct reading *reading, size_t by) {
    const struct loupe_span *text = &reading->tree->mangled;
    return reading->at + by < text->length ? text->bytes[reading->at + by] : '\0';
}

static bool take(struct reading *reading, const char *expected) {
    size_t length = 0;
    for (; expected[length]; length++) {
        if (ahead(reading, length) != expected[length])
            return false;
    }
    reading->at += length;
    return true;
}

static struct cxx_node *add(struct reading *reading, enum cxx_node_kind kind, uint16_t left,
                            uint16_t right) {
    struct cxx_tree *tree = reading->tree;
    if (tree->count == CXX_MOST_NODES)
        return NULL;
    tree->nodes[tree->count] =
        (struct cxx_node){.kind = (uint8_t)kind, .left = left, .right = right};
    return &tree->nodes[tree->count++];
}

static uint16_t number_of(const struct reading *reading, const struct cxx_node *node) {
    return node ? (uint16_t)(node - reading->tree->nodes) : 0;
}

static uint16_t add_node(struct reading *reading, enum cxx_node_kind kind, uint16_t left,
                         uint16_t right) {
    return number_of(reading, add(reading, kind, left, right));
}

/* Of one part, which there has to be. */
static uint16_t add_around(struct reading *reading, enum cxx_node_kind kind, uint16_t left) {
    return left ? add_node(reading, kind, left, 0) : 0;
}

static uint16_t add_flags(struct reading *reading, enum cxx_node_kind kind, uint16_t left,
                          unsigned flags) {
    struct cxx_node *node = left ? add(reading, kind, left, 0) : NULL;
    if (node)
        node->flags = (uint8_t)flags;
    return number_of(reading, node);
}

static uint16_t add_text(struct reading *reading, size_t at, size_t length) {
    struct cxx_node *node = add(reading, CXX_NAME, 0, 0);
    if (!node)
        return 0;
    node->at = (uint16_t)at;
    node->length = (uint16_t)length;
    return number_of(reading, node);
}

static uint16_t add_fixed(struct reading *reading, const char *text) {
    struct cxx_node *node = add(reading, CXX_NAME, 0, 0);
    if (!node)
        return 0;
    node->fixed = text;
    node->length = (uint16_t)strlen(text);
    return number_of(reading, node);
}

static uint16_t join(struct reading *reading, uint16_t scope, uint16_t name) {
    return scope && name ? add_node(reading, CXX_NESTED, scope, name) : 0;
}

/* ---- Numbers ---- */

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool read_number(struct reading *reading, uint32_t *ret) {
    uint64_t value = 0;
    if (!is_digit(ahead(reading, 0)))
        return false;
    /* Cap: a number that is none: the name stays as it is. */
    for (; is_digit(ahead(reading, 0)) && value <= UINT32_MAX; reading->at++)
        value = value * 10 + (uint64_t)(ahead(reading, 0) - '0');
    *ret = (uint32_t)value;
    return value <= UINT32_MAX;
}

/* "_" is 0, "0_" 1: of parameters, lambdas, types without a name. */
static bool read_index(struct reading *reading, uint32_t *ret) {
    *ret = 0;
    if (take(reading, "_"))
        return true;
    bool good = read_number(reading, ret) && *ret < UINT32_MAX && take(reading, "_");
    ++*ret;
    return good;
}

/* The same by 36 digits: of substitutions. */
static bool read_substitution_index(struct reading *reading, uint32_t *ret) {
    uint32_t value = 0;
    if (take(reading, "_")) {
        *ret = 0;
        return true;
    }
    for (char c; (c = ahead(reading, 0)) != '_'; reading->at++) {
        if (!(is_digit(c) || (c >= 'A' && c <= 'Z')) || value > MOST_SUBSTITUTIONS)
            return false;
        value = value * 36 + (uint32_t)(is_digit(c) ? c - '0' : c - 'A' + 10);
    }
    reading->at++;
    *ret = value + 1;
    return true;
}

/* ---- Substitutions ---- */

/* Returns the node. */
static uint16_t remember(struct reading *reading, uint16_t node) {
    if (!node || reading->substitution_count == MOST_SUBSTITUTIONS)
        return 0;
    reading->substitutions[reading->substitution_count++] = node;
    return node;
}

static const struct {
    char letter;
    const char *name;
} library_names[] = {
    {'t', "std"},           {'a', "std::allocator"}, {'b', "std::basic_string"},
    {'s', "std::string"},   {'i', "std::istream"},   {'o', "std::ostream"},
    {'d', "std::iostream"},
};

/* Behind the S. */
static uint16_t read_substitution(struct reading *reading) {
    uint32_t index;
    for (unsigned i = 0; i < sizeof(library_names) / sizeof(library_names[0]); i++) {
        if (ahead(reading, 0) == library_names[i].letter) {
            reading->at++;
            return add_fixed(reading, library_names[i].name);
        }
    }
    if (!read_substitution_index(reading, &index) || index >= reading->substitution_count)
        return 0;
    return reading->substitutions[index];
}

/* ---- Template arguments ---- */

static uint16_t read_literal(struct reading *reading) {
    if (take(reading, "_Z")) {
        uint16_t function = read_encoding(reading);
        return take(reading, "E") ? function : 0;
    }
    uint16_t type = read_type(reading);
    size_t start = reading->at;
    while (ahead(reading, 0) != 'E' && ahead(reading, 0))
        reading->at++;
    struct cxx_node *node = type ? add(reading, CXX_LITERAL, type, 0) : NULL;
    if (!node)
        return 0;
    node->at = (uint16_t)start;
    node->length = (uint16_t)(reading->at - start);
    return take(reading, "E") ? number_of(reading, node) : 0;
}

/* The function or variable that an argument is the address of, behind its XadL_Z. */
static uint16_t read_address(struct reading *reading) {
    uint16_t function = read_encoding(reading);
    return take(reading, "EE") ? function : 0;
}

static uint16_t read_arguments(struct reading *reading, uint16_t *ret);

static uint16_t read_argument(struct reading *reading) {
    uint16_t list;
    if (take(reading, "L"))
        return read_literal(reading);
    if (take(reading, "XadL_Z"))
        return add_around(reading, CXX_ADDRESS, read_address(reading));
    if (take(reading, "J"))
        return read_arguments(reading, &list) ? add_node(reading, CXX_PACK, list, 0) : 0;
    return read_type(reading);
}

/* Up to the E, into a list, which is 0 where there are none. Returns 0 for what is not understood.
 */
static uint16_t read_arguments(struct reading *reading, uint16_t *ret) {
    uint16_t last = 0;
    *ret = 0;
    while (!take(reading, "E")) {
        uint16_t item = read_argument(reading);
        uint16_t entry = add_around(reading, CXX_LIST, item);
        if (!entry)
            return 0;
        if (last)
            reading->tree->nodes[last].right = entry;
        else
            *ret = entry;
        last = entry;
    }
    return 1;
}

/* Behind the I. */
static uint16_t read_template(struct reading *reading, uint16_t name) {
    uint16_t list;
    if (!name || !read_arguments(reading, &list))
        return 0;
    if (!reading->lambdas)
        reading->arguments = list;
    return add_node(reading, CXX_TEMPLATE, name, list);
}

/* Behind the T. */
static uint16_t read_parameter(struct reading *reading) {
    uint32_t index;
    uint16_t list = reading->arguments;
    if (!read_index(reading, &index))
        return 0;
    if (reading->lambdas) {
        struct cxx_node *node = add(reading, CXX_AUTO, 0, 0);
        if (node)
            node->number = index + 1;
        return number_of(reading, node);
    }
    while (list && index--)
        list = reading->tree->nodes[list].right;
    return list ? reading->tree->nodes[list].left : 0;
}

/* ---- Names ---- */

static bool is_anonymous_namespace(struct loupe_span name) {
    return name.length > 8 && memcmp(name.bytes, "_GLOBAL_", 8) == 0 && name.length >= 10 &&
           name.bytes[9] == 'N';
}

static uint16_t read_tags(struct reading *reading, uint16_t name) {
    uint32_t length;
    while (name && take(reading, "B")) {
        if (!read_number(reading, &length) || length > reading->tree->mangled.length - reading->at)
            return 0;
        struct cxx_node *node = add(reading, CXX_TAGGED, name, 0);
        if (!node)
            return 0;
        node->at = (uint16_t)reading->at;
        node->length = (uint16_t)length;
        reading->at += length;
        name = number_of(reading, node);
    }
    return name;
}

static uint16_t read_identifier(struct reading *reading) {
    uint32_t length;
    if (!read_number(reading, &length) || !length ||
        length > reading->tree->mangled.length - reading->at)
        return 0;
    size_t start = reading->at;
    struct loupe_span name = {.bytes = reading->tree->mangled.bytes + start, .length = length};
    reading->at += length;
    return read_tags(reading, is_anonymous_namespace(name)
                                  ? add_fixed(reading, "(anonymous namespace)")
                                  : add_text(reading, start, length));
}

/* Types up to an E or the end. False: one is not understood. */
static bool read_parameters(struct reading *reading, uint16_t *ret) {
    uint16_t last = 0;
    *ret = 0;
    while (ahead(reading, 0) && ahead(reading, 0) != 'E' &&
           !((ahead(reading, 0) == 'R' || ahead(reading, 0) == 'O') && ahead(reading, 1) == 'E')) {
        uint16_t entry = add_around(reading, CXX_LIST, read_type(reading));
        if (!entry)
            return false;
        if (last)
            reading->tree->nodes[last].right = entry;
        else
            *ret = entry;
        last = entry;
    }
    return true;
}

/* Behind Ul or Ut. */
static uint16_t read_unnamed(struct reading *reading, bool is_lambda) {
    uint16_t list = 0;
    uint32_t index;
    reading->lambdas += is_lambda;
    bool good = !is_lambda || (read_parameters(reading, &list) && take(reading, "E"));
    reading->lambdas -= is_lambda;
    struct cxx_node *node = good && read_index(reading, &index)
                                ? add(reading, is_lambda ? CXX_LAMBDA : CXX_UNNAMED, list, 0)
                                : NULL;
    if (node)
        node->number = index + 1;
    return number_of(reading, node);
}

static const struct {
    char code[3];
    const char *name;
} operators[] = {
    {"aN", "&="}, {"aS", "="},       {"aa", "&&"},   {"ad", "&"},      {"an", "&"},
    {"cl", "()"}, {"cm", ","},       {"co", "~"},    {"dV", "/="},     {"da", " delete[]"},
    {"de", "*"},  {"dl", " delete"}, {"dv", "/"},    {"eO", "^="},     {"eo", "^"},
    {"eq", "=="}, {"ge", ">="},      {"gt", ">"},    {"ix", "[]"},     {"lS", "<<="},
    {"le", "<="}, {"ls", "<<"},      {"lt", "<"},    {"mI", "-="},     {"mL", "*="},
    {"mi", "-"},  {"ml", "*"},       {"mm", "--"},   {"na", " new[]"}, {"ne", "!="},
    {"ng", "-"},  {"nt", "!"},       {"nw", " new"}, {"oR", "|="},     {"oo", "||"},
    {"or", "|"},  {"pL", "+="},      {"pl", "+"},    {"pm", "->*"},    {"pp", "++"},
    {"ps", "+"},  {"pt", "->"},      {"rM", "%="},   {"rS", ">>="},    {"rm", "%"},
    {"rs", ">>"}, {"ss", "<=>"},
};

static uint16_t read_operator(struct reading *reading) {
    for (unsigned i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
        if (take(reading, operators[i].code))
            return add_node(reading, CXX_CONVERSION, 0, add_fixed(reading, operators[i].name));
    }
    if (take(reading, "cv"))
        return add_around(reading, CXX_CONVERSION, read_type(reading));
    return 0;
}

/* The innermost part of a name, of which a constructor is one. */
static uint16_t last_part(const struct reading *reading, uint16_t name) {
    const struct cxx_node *nodes = reading->tree->nodes;
    for (unsigned left = CXX_DEEPEST; name && left; left--) {
        if (nodes[name].kind == CXX_NESTED || nodes[name].kind == CXX_LOCAL)
            name = nodes[name].right;
        else if (nodes[name].kind == CXX_TEMPLATE || nodes[name].kind == CXX_TAGGED)
            name = nodes[name].left;
        else
            return name;
    }
    return 0;
}

static bool is_structor(const struct reading *reading) {
    char kind = ahead(reading, 0), number = ahead(reading, 1);
    return (kind == 'C' || kind == 'D') && number >= '0' && number <= '5';
}

/* One part of a name, within a scope; 0: none is ahead. */
static uint16_t read_part(struct reading *reading, uint16_t scope) {
    if (is_digit(ahead(reading, 0)))
        return read_identifier(reading);
    if (ahead(reading, 0) == 'L' && is_digit(ahead(reading, 1))) {
        reading->at++;
        return read_identifier(reading);
    }
    if (take(reading, "Ul"))
        return read_unnamed(reading, true);
    if (take(reading, "Ut"))
        return read_unnamed(reading, false);
    if (scope && is_structor(reading)) {
        bool destroys = ahead(reading, 0) == 'D';
        reading->at += 2;
        return read_tags(reading, add_flags(reading, CXX_CONSTRUCTOR, last_part(reading, scope),
                                            destroys ? CXX_DESTROYS : 0));
    }
    return read_tags(reading, read_operator(reading));
}

static unsigned read_qualifiers(struct reading *reading) {
    unsigned flags = 0;
    for (;; reading->at++) {
        char c = ahead(reading, 0);
        if (c != 'r' && c != 'V' && c != 'K')
            return flags;
        flags |= c == 'K' ? CXX_CONST : c == 'V' ? CXX_VOLATILE : CXX_RESTRICT;
    }
}

/* The first part of a nested name, where that is no part of its own. */
static uint16_t read_scope(struct reading *reading, bool *is_known) {
    *is_known = true;
    if (take(reading, "S"))
        return read_substitution(reading);
    *is_known = false;
    return take(reading, "T") ? read_parameter(reading) : read_part(reading, 0);
}

/* Behind the N; qualifiers of the function that it names go to *flags_ret. */
static uint16_t read_nested(struct reading *reading, unsigned *flags_ret) {
    bool known;
    *flags_ret = read_qualifiers(reading);
    *flags_ret |= take(reading, "R") ? CXX_LVALUE_THIS : take(reading, "O") ? CXX_RVALUE_THIS : 0;
    uint16_t name = read_scope(reading, &known);
    while (name && !take(reading, "E")) {
        take(reading, "M"); /* the name is of a member, which a closure initialises */
        if (!known && !remember(reading, name))
            return 0;
        known = false;
        name = take(reading, "I") ? read_template(reading, name)
                                  : join(reading, name, read_part(reading, name));
    }
    return name;
}

/* Behind an entity of a function: which of those with one name it is. */
static bool skip_discriminator(struct reading *reading) {
    uint32_t ignored;
    if (!take(reading, "_"))
        return true;
    if (take(reading, "_"))
        return read_number(reading, &ignored) && take(reading, "_");
    if (!is_digit(ahead(reading, 0)))
        return false;
    reading->at++;
    return true;
}

/* What a default argument makes, behind the d, is in a scope of its own. */
static uint16_t read_in_default(struct reading *reading, unsigned *flags_ret) {
    uint32_t index;
    struct cxx_node *scope =
        read_index(reading, &index) ? add(reading, CXX_DEFAULT_ARGUMENT, 0, 0) : NULL;
    if (!scope)
        return 0;
    scope->number = index + 1;
    return join(reading, number_of(reading, scope), read_function_name(reading, flags_ret));
}

/* Behind the Z; qualifiers of the entity, if that is a function, go to *flags_ret. */
static uint16_t read_local(struct reading *reading, unsigned *flags_ret) {
    uint16_t function = read_encoding(reading);
    if (!function || !take(reading, "E"))
        return 0;
    if (take(reading, "s"))
        return skip_discriminator(reading)
                   ? add_node(reading, CXX_LOCAL, function, add_fixed(reading, "string literal"))
                   : 0;
    uint16_t entity = take(reading, "d") ? read_in_default(reading, flags_ret)
                                         : read_function_name(reading, flags_ret);
    return entity && skip_discriminator(reading) ? add_node(reading, CXX_LOCAL, function, entity)
                                                 : 0;
}

/* Of a namespace scope: std:: or none. */
static uint16_t read_unscoped(struct reading *reading) {
    if (take(reading, "St"))
        return join(reading, add_fixed(reading, "std"), read_part(reading, 0));
    return read_part(reading, 0);
}

static uint16_t read_plain_name(struct reading *reading) {
    bool substituted = ahead(reading, 0) == 'S' && ahead(reading, 1) != 't';
    uint16_t name;
    if (substituted) {
        reading->at++;
        name = read_substitution(reading);
    } else {
        name = read_unscoped(reading);
    }
    if (!name || !take(reading, "I"))
        return name;
    if (!substituted && !remember(reading, name))
        return 0;
    return read_template(reading, name);
}

static uint16_t read_function_name(struct reading *reading, unsigned *flags_ret) {
    *flags_ret = 0;
    if (take(reading, "N"))
        return read_nested(reading, flags_ret);
    if (take(reading, "Z"))
        return read_local(reading, flags_ret);
    return read_plain_name(reading);
}

static uint16_t read_name(struct reading *reading) {
    unsigned flags;
    uint16_t name = read_function_name(reading, &flags);
    return flags ? add_flags(reading, CXX_QUALIFIED, name, flags) : name;
}

/* ---- Functions ---- */

/* An instance of a template says what it returns, unless it is a constructor or a conversion. */
static bool says_return(const struct reading *reading, uint16_t name) {
    const struct cxx_node *nodes = reading->tree->nodes;
    while (nodes[name].kind == CXX_LOCAL)
        name = nodes[name].right;
    if (nodes[name].kind != CXX_TEMPLATE)
        return false;
    uint16_t part = nodes[name].left;
    while (nodes[part].kind == CXX_NESTED)
        part = nodes[part].right;
    return nodes[part].kind != CXX_CONSTRUCTOR &&
           !(nodes[part].kind == CXX_CONVERSION && nodes[part].left);
}

/* A function as the scope of something: its name and what it takes. */
static uint16_t read_encoding(struct reading *reading) {
    unsigned flags;
    uint16_t list;
    if (++reading->depth > CXX_DEEPEST)
        return 0;
    uint16_t name = read_function_name(reading, &flags);
    if (!name)
        return 0;
    reading->depth--;
    if (ahead(reading, 0) == 'E' || !ahead(reading, 0)) /* a variable */
        return name;
    uint16_t arguments = reading->arguments;
    if (says_return(reading, name) && !read_type(reading))
        return 0;
    if (!read_parameters(reading, &list))
        return 0;
    reading->arguments = arguments;
    struct cxx_node *type = add(reading, CXX_FUNCTION, 0, list);
    if (!type)
        return 0;
    type->flags = (uint8_t)flags;
    return add_node(reading, CXX_ENCODING, name, number_of(reading, type));
}

/* Behind the F. */
static uint16_t read_function(struct reading *reading, unsigned flags) {
    uint16_t list;
    take(reading, "Y");
    uint16_t result = read_type(reading);
    if (!result || !read_parameters(reading, &list))
        return 0;
    flags |= take(reading, "R") ? CXX_LVALUE_THIS : take(reading, "O") ? CXX_RVALUE_THIS : 0;
    struct cxx_node *node = take(reading, "E") ? add(reading, CXX_FUNCTION, result, list) : NULL;
    if (node)
        node->flags = (uint8_t)flags;
    return number_of(reading, node);
}

/* ---- Types ---- */

static const struct {
    char code[3];
    const char *name;
} builtins[] = {
    {"v", "void"},
    {"w", "wchar_t"},
    {"b", "bool"},
    {"c", "char"},
    {"a", "signed char"},
    {"h", "unsigned char"},
    {"s", "short"},
    {"t", "unsigned short"},
    {"i", "int"},
    {"j", "unsigned int"},
    {"l", "long"},
    {"m", "unsigned long"},
    {"x", "long long"},
    {"y", "unsigned long long"},
    {"n", "__int128"},
    {"o", "unsigned __int128"},
    {"f", "float"},
    {"d", "double"},
    {"e", "long double"},
    {"g", "__float128"},
    {"z", "..."},
    {"Dd", "decimal64"},
    {"De", "decimal128"},
    {"Df", "decimal32"},
    {"Dh", "half"},
    {"Di", "char32_t"},
    {"Ds", "char16_t"},
    {"Du", "char8_t"},
    {"Da", "auto"},
    {"Dc", "decltype(auto)"},
    {"Dn", "decltype(nullptr)"},
};

static uint16_t read_builtin(struct reading *reading) {
    for (unsigned i = 0; i < sizeof(builtins) / sizeof(builtins[0]); i++) {
        if (take(reading, builtins[i].code))
            return add_fixed(reading, builtins[i].name);
    }
    return 0;
}

/* Behind the A. */
static uint16_t read_array(struct reading *reading) {
    size_t start = reading->at;
    uint32_t ignored;
    if (is_digit(ahead(reading, 0)) && !read_number(reading, &ignored))
        return 0;
    size_t length = reading->at - start;
    uint16_t element = take(reading, "_") ? read_type(reading) : 0;
    struct cxx_node *node = element ? add(reading, CXX_ARRAY, element, 0) : NULL;
    if (!node)
        return 0;
    node->at = (uint16_t)start;
    node->length = (uint16_t)length;
    return number_of(reading, node);
}

/* Behind the M. */
static uint16_t read_member_pointer(struct reading *reading) {
    uint16_t cls = read_type(reading);
    uint16_t type = cls ? read_type(reading) : 0;
    return type ? add_node(reading, CXX_MEMBER_POINTER, cls, type) : 0;
}

/* What modifies another type; 0 with *is_one: it is not understood. */
static uint16_t read_compound(struct reading *reading, bool *is_one) {
    *is_one = true;
    if (take(reading, "P"))
        return add_around(reading, CXX_POINTER, read_type(reading));
    if (take(reading, "R"))
        return add_around(reading, CXX_REFERENCE, read_type(reading));
    if (take(reading, "O"))
        return add_around(reading, CXX_RVALUE, read_type(reading));
    if (take(reading, "A"))
        return read_array(reading);
    if (take(reading, "M"))
        return read_member_pointer(reading);
    if (take(reading, "DoF"))
        return read_function(reading, CXX_NOEXCEPT);
    if (take(reading, "F"))
        return read_function(reading, 0);
    if (take(reading, "T")) {
        uint16_t parameter = read_parameter(reading);
        if (!take(reading, "I"))
            return parameter;
        return remember(reading, parameter) ? read_template(reading, parameter) : 0;
    }
    *is_one = false;
    return 0;
}

/* Qualifiers of a function are those of the object that it is called for. */
static uint16_t read_qualified(struct reading *reading, unsigned flags) {
    if (take(reading, "DoF"))
        return remember(reading, read_function(reading, flags | CXX_NOEXCEPT));
    if (take(reading, "F"))
        return remember(reading, read_function(reading, flags));
    return remember(reading, add_flags(reading, CXX_QUALIFIED, read_type(reading), flags));
}

/* A type that is one already, and needs not be remembered: unless it is made of another. */
static uint16_t read_substituted(struct reading *reading) {
    reading->at++;
    uint16_t type = read_substitution(reading);
    if (!take(reading, "I"))
        return type;
    return remember(reading, read_template(reading, type));
}

static uint16_t read_type_of_any_kind(struct reading *reading) {
    bool is_compound;
    unsigned flags = read_qualifiers(reading);
    if (flags)
        return read_qualified(reading, flags);
    if (ahead(reading, 0) == 'S' && ahead(reading, 1) != 't')
        return read_substituted(reading);
    if (take(reading, "Dp"))
        return read_type(reading);
    uint16_t type = read_compound(reading, &is_compound);
    if (is_compound)
        return remember(reading, type);
    type = read_builtin(reading);
    return type ? type : remember(reading, read_name(reading));
}

static uint16_t read_type(struct reading *reading) {
    if (reading->depth == CXX_DEEPEST)
        return 0;
    reading->depth++;
    uint16_t type = read_type_of_any_kind(reading);
    reading->depth--;
    return type;
}

uint16_t cxx_read_type(struct cxx_tree *tree, struct loupe_span mangled) {
    struct reading reading = {.tree = tree};
    tree->mangled = mangled;
    tree->count = 1;
    uint16_t type = read_type(&reading);
    return reading.at == mangled.length ? type : 0;
}

bool loupe_cxx_type_name(struct loupe_span mangled, char *dst, size_t cap) {
    struct cxx_tree tree;
    bool is_name = mangled.length && mangled.length <= LOUPE_MAX_TYPE_NAME &&
                   !memchr(mangled.bytes, '\0', mangled.length);
    uint16_t type = is_name ? cxx_read_type(&tree, mangled) : 0;
    if (type && cxx_print(&tree, type, dst, cap))
        return true;
    loupe_format(dst, cap, "%.*s", (int)(mangled.length < cap ? mangled.length : cap),
                 mangled.bytes);
    return false;
}
