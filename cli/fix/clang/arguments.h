/*
 * arguments.h - the words by which a compiler reads a source: those of its build, where that keeps
 * them (compile_commands.json, compile_flags.txt), else what most such sources need.
 *
 * Such a file comes with the sources, and they can be anybody's: only words that say where headers
 * are, what is defined and which language it is are taken from it. No other word gets to the
 * compiler, as one of those that load code or write files would.
 */
#ifndef LOUPE_CLI_FIX_ARGUMENTS_H
#define LOUPE_CLI_FIX_ARGUMENTS_H

#include "fix/clang/libclang.h"

enum { CLANG_MOST_ARGUMENTS = 2048 };

struct clang_arguments {
    const char *items[CLANG_MOST_ARGUMENTS];
    int count;
    const char *folder; /* that the build stood in; NULL: its words are not known */
    bool is_full;       /* there were more */
};

/* Whether a word may be used, and whether the next one belongs to it. */
bool clang_argument_is_plain(const char *word, bool *takes_next);

/* A source; its words, and what was allocated for them, stay with it. */
struct clang_asked {
    const char *path, *top; /* the source, and the folder of all; whole */
    bool is_manual;         /* where its build does not say: it is one without ARC */
    bool has_blocks;
};

void clang_arguments_of(const struct libclang *clang, const struct clang_asked *asked,
                        struct clang_arguments *ret);

#endif
