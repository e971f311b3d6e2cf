/*
 * cxx_code.h - classes, functions and lambdas of C++ in a source, as far as tokens show them.
 */
#ifndef LOUPE_CLI_FIX_CXX_CODE_H
#define LOUPE_CLI_FIX_CXX_CODE_H

#include "fix/source/tokens.h"

/* "Child" of "app::Child (make_shared)". */
struct loupe_span fix_cxx_last_name(struct loupe_span name);
/* "app::Child" of it; empty where another character than those of names and :: is in it. */
struct loupe_span fix_cxx_full_name(struct loupe_span name);
/* "listen" of "Screen::listen()::{lambda()#1} (std::function)"; empty: it is none. */
struct loupe_span fix_cxx_function_of_lambda(struct loupe_span name);

/* Whether a class of such a name is defined from a token on: its brace; 0: none is. */
uint32_t fix_cxx_class(const struct fix_source *source, uint32_t at, struct loupe_span name);
/* Whether a token is in code of that class: in its braces, or in a function "NAME::f() {}". */
bool fix_is_in_cxx_class(const struct fix_source *source, uint32_t at, struct loupe_span name);
/* Whether a name ends a declaration that stands directly between the braces of a class. */
bool fix_is_cxx_member(const struct fix_source *source, uint32_t at);

/* The brace of a function whose name is at a token; 0: it is none. */
uint32_t fix_cxx_function(const struct fix_source *source, uint32_t at, struct loupe_span name);
/* Whether a [ begins a lambda. */
bool fix_begins_lambda(const struct fix_source *source, uint32_t at);

#endif
