/* How a source is built, as far as a compiler has to know to read it. */
#define _GNU_SOURCE

#include "fix/clang/arguments.h"

#include "base/text.h"

#ifndef __APPLE__
#include <glob.h>
#endif
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Words that may be used ---- */

/* Alone, or with what they are about at their end or behind them. */
static const char *const with_next[] = {"-I",          "-isystem", "-iquote",   "-idirafter", "-F",
                                        "-iframework", "-include", "-isysroot", "-D",         "-U",
                                        "-x",          "-arch",    "-target"};
static const char *const joined[] = {"-std=",
                                     "--sysroot=",
                                     "--target=",
                                     "-stdlib=",
                                     "-fobjc-",
                                     "-fno-objc-",
                                     "-fms-ext",
                                     "-fconstant-string-",
                                     "-fshort-",
                                     "-nostdinc",
                                     "-W",
                                     "-fapple-kext",
                                     "-mmacosx-version-min",
                                     "-miphoneos-ver"};
static const char *const alone[] = {
    "-fblocks",  "-fno-blocks",   "-fexceptions",   "-fno-exceptions", "-frtti",
    "-fno-rtti", "-fgnu-runtime", "-fnext-runtime", "-fsigned-char",   "-funsigned-char",
    "-pthread",  "-m32",          "-m64",           "-ansi",           "-w",
    "-pedantic"};

static bool begins(const char *word, const char *beginning) {
    return strncmp(word, beginning, strlen(beginning)) == 0;
}

/* "-Wl,..." are for other programs. */
static bool is_for_others(const char *word) {
    return begins(word, "-W") && strchr(word, ',');
}

bool clang_argument_is_plain(const char *word, bool *takes_next) {
    *takes_next = false;
    for (size_t i = 0; i < sizeof(alone) / sizeof(alone[0]); i++) {
        if (strcmp(word, alone[i]) == 0)
            return true;
    }
    for (size_t i = 0; i < sizeof(with_next) / sizeof(with_next[0]); i++) {
        *takes_next = strcmp(word, with_next[i]) == 0;
        if (*takes_next)
            return true;
    }
    for (size_t i = 0; i < sizeof(with_next) / sizeof(with_next[0]); i++) {
        bool is_long = with_next[i][2] != '\0';
        if (begins(word, with_next[i]) && (!is_long || begins(with_next[i], "-i")))
            return true;
    }
    for (size_t i = 0; i < sizeof(joined) / sizeof(joined[0]); i++) {
        if (begins(word, joined[i]))
            return !is_for_others(word);
    }
    return false;
}

static void add(struct clang_arguments *arguments, const char *word) {
    arguments->is_full |= arguments->count == CLANG_MOST_ARGUMENTS;
    if (!arguments->is_full)
        arguments->items[arguments->count++] = word;
}

/* ---- The build's ---- */

static void take_command(const struct libclang *clang, void *command, struct clang_arguments *ret) {
    unsigned count = clang->count_arguments(command);
    ret->folder = clang->text(clang->folder_of(command));
    for (unsigned i = 1; i < count; i++) {
        const char *word = clang->text(clang->argument(command, i));
        bool takes_next = false;
        if (!word || !clang_argument_is_plain(word, &takes_next))
            continue;
        const char *next =
            takes_next && i + 1 < count ? clang->text(clang->argument(command, ++i)) : NULL;
        if (takes_next && !next)
            continue;
        add(ret, word);
        if (takes_next)
            add(ret, next);
    }
}

static bool take_database(const struct libclang *clang, const char *folder, const char *path,
                          struct clang_arguments *ret) {
    static const char *const files[] = {"compile_commands.json", "compile_flags.txt"};
    char file[PATH_MAX];
    bool is_there = false;
    int error = 0;
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        size_t length = loupe_format(file, sizeof(file), "%s/%s", folder, files[i]);
        is_there |= length < sizeof(file) && access(file, R_OK) == 0;
    }
    void *database = is_there ? clang->open_database(folder, &error) : NULL;
    void *commands = database && !error ? clang->commands_for(database, path) : NULL;
    if (!commands || !clang->count_commands(commands))
        return false;
    take_command(clang, clang->command(commands, 0), ret);
    return ret->folder != NULL;
}

/* In the folder of the source and all above it, and in "build" beside each. */
static bool find_database(const struct libclang *clang, const char *path,
                          struct clang_arguments *ret) {
    char folder[PATH_MAX], build[PATH_MAX + 8];
    loupe_format(folder, sizeof(folder), "%s", path);
    for (char *slash = strrchr(folder, '/'); slash; slash = strrchr(folder, '/')) {
        *slash = '\0';
        loupe_format(build, sizeof(build), "%s/build", folder);
        if (take_database(clang, *folder ? folder : "/", path, ret) ||
            take_database(clang, build, path, ret))
            return true;
    }
    return false;
}

/* ---- Without it ---- */

static bool ends_in(const char *path, const char *ending) {
    size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcmp(path + length - tail, ending) == 0;
}

#ifndef __APPLE__
/* GCC has the headers of its runtime in a folder of its own; clang's are looked at before it. */
static void guess_gcc(struct clang_arguments *ret) {
    glob_t found;
    if (glob("/usr/lib/gcc/*/*/include/objc/objc.h", 0, NULL, &found))
        return;
    char *folder = strdup(found.gl_pathv[found.gl_pathc - 1]);
    globfree(&found);
    if (!folder)
        return;
    folder[strlen(folder) - strlen("/objc/objc.h")] = '\0';
    add(ret, "-idirafter");
    add(ret, folder);
}
#endif

static void guess_objc(bool is_manual, bool has_blocks, struct clang_arguments *ret) {
    if (has_blocks || !is_manual)
        add(ret, "-fblocks");
    add(ret, "-fexceptions");
    add(ret, "-fobjc-exceptions");
    add(ret, is_manual ? "-fno-objc-arc" : "-fobjc-arc");
#ifndef __APPLE__
    static const char *const gnustep[] = {"-isystem",
                                          "/usr/local/include/GNUstep",
                                          "-isystem",
                                          "/usr/include/GNUstep",
                                          "-DGNUSTEP",
                                          "-DGNUSTEP_BASE_LIBRARY=1",
                                          "-D_NATIVE_OBJC_EXCEPTIONS",
                                          "-fconstant-string-class=NSConstantString"};
    add(ret, is_manual ? "-fobjc-runtime=gcc" : "-fobjc-runtime=gnustep-2.0");
    for (size_t i = 0; i < sizeof(gnustep) / sizeof(gnustep[0]); i++)
        add(ret, gnustep[i]);
    guess_gcc(ret);
#endif
}

static void guess(const struct clang_asked *asked, struct clang_arguments *ret) {
    const char *path = asked->path;
    static const char *const cxx[] = {".mm", ".hpp", ".hh", ".cpp", ".cc", ".cxx"};
    bool is_cxx = false,
         is_objc = ends_in(path, ".m") || ends_in(path, ".mm") || ends_in(path, ".h");
    for (size_t i = 0; i < sizeof(cxx) / sizeof(cxx[0]); i++)
        is_cxx |= ends_in(path, cxx[i]);
    add(ret, "-x");
    add(ret, is_objc ? is_cxx ? "objective-c++" : "objective-c" : is_cxx ? "c++" : "c");
    if (is_cxx)
        add(ret, "-std=c++20");
    if (is_objc)
        guess_objc(asked->is_manual, asked->has_blocks, ret);
    add(ret, "-I");
    add(ret, asked->top);
    add(ret, "-Wall");
    add(ret, "-Wextra");
}

void clang_arguments_of(const struct libclang *clang, const struct clang_asked *asked,
                        struct clang_arguments *ret) {
    *ret = (struct clang_arguments){.count = 0};
    if (!find_database(clang, asked->path, ret)) {
        *ret = (struct clang_arguments){.count = 0};
        guess(asked, ret);
    }
}
