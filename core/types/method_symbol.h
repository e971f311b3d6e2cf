/*
 * method_symbol.h - methods as a person writes them, from the symbols that compilers for GNU
 * runtimes give them.
 */
#ifndef LOUPE_METHOD_SYMBOL_H
#define LOUPE_METHOD_SYMBOL_H

#include "base/text.h"

/*
 * "-[Downloader setURL:timeout:]" of "_i_Downloader__setURL_timeout_"; any other symbol as it is.
 * Underscores are colons in selectors that end with one: others take no arguments. Cut to cap - 1
 * bytes and a NUL; cap > 0.
 */
void loupe_method_of_symbol(const char *symbol, char *dst, size_t cap);

/*
 * The function that a block was written in, by the symbol of the one that it runs, as clang calls
 * that: "-[Cell load]" of "__12-[Cell load]_block_invoke_2", and methods as above of those for GNU
 * runtimes. False, and empty: it is no block's.
 */
bool loupe_function_around_block(const char *symbol, char *dst, size_t cap);

#endif
