/* libclang, found when it is needed. */
#define _GNU_SOURCE

#include "fix/clang/libclang.h"

#include "base/text.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { NEWEST = 40, OLDEST = 10, NAME_ROOM = 64 };

/* With the number of a version in them, as systems name them. */
static const char *const numbered[] = {"libclang-%u.so.1", "/usr/lib/llvm-%u/lib/libclang.so.1",
                                       "libclang.so.%u"};

#define XCODE "/Applications/Xcode.app/Contents/Developer/Toolchains/XcodeDefault.xctoolchain"

static const char *const names[] = {
    "libclang.so.1",
    "libclang.so",
    XCODE "/usr/lib/libclang.dylib",
    "/Library/Developer/CommandLineTools/usr/lib/libclang.dylib",
    "libclang.dylib",
};

static void *open_of_version(unsigned version) {
    char name[NAME_ROOM];
    void *library = NULL;
    for (size_t i = 0; i < sizeof(numbered) / sizeof(numbered[0]) && !library; i++) {
        loupe_format(name, sizeof(name), numbered[i], version);
        library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    }
    return library;
}

static void *open_any(void) {
    const char *wanted = getenv("LOUPE_LIBCLANG");
    void *library = NULL;
    if (wanted && *wanted)
        return strchr(wanted, '/') ? dlopen(wanted, RTLD_NOW | RTLD_LOCAL) : NULL;
    /* Cap: one that is named otherwise is found by $LOUPE_LIBCLANG. */
    for (unsigned version = NEWEST; version >= OLDEST && !library; version--)
        library = open_of_version(version);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !library; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    return library;
}

bool libclang_open(struct libclang *ret) {
    const struct {
        const char *name;
        void *into;
    } functions[] = {
        {"clang_createIndex", &ret->create_index},
        {"clang_parseTranslationUnit2", &ret->parse},
        {"clang_disposeTranslationUnit", &ret->dispose_unit},
        {"clang_getNumDiagnostics", &ret->count_diagnostics},
        {"clang_getDiagnostic", &ret->diagnostic},
        {"clang_getDiagnosticSeverity", &ret->severity},
        {"clang_getDiagnosticSpelling", &ret->message},
        {"clang_getDiagnosticLocation", &ret->place_of_diagnostic},
        {"clang_getCString", &ret->text},
        {"clang_disposeString", &ret->dispose_string},
        {"clang_getFileName", &ret->name_of_file},
        {"clang_getTranslationUnitCursor", &ret->root},
        {"clang_visitChildren", &ret->visit},
        {"clang_getCursorLocation", &ret->location},
        {"clang_getCursorExtent", &ret->extent},
        {"clang_getRangeStart", &ret->start},
        {"clang_getRangeEnd", &ret->end},
        {"clang_getFileLocation", &ret->place},
        {"clang_getCursorReferenced", &ret->declaration},
        {"clang_getCursorSpelling", &ret->name},
        {"clang_getCursorType", &ret->type},
        {"clang_getCanonicalType", &ret->canonical},
        {"clang_Location_isFromMainFile", &ret->is_in_main_file},
        {"clang_CompilationDatabase_fromDirectory", &ret->open_database},
        {"clang_CompilationDatabase_getCompileCommands", &ret->commands_for},
        {"clang_CompileCommands_getSize", &ret->count_commands},
        {"clang_CompileCommands_getCommand", &ret->command},
        {"clang_CompileCommand_getDirectory", &ret->folder_of},
        {"clang_CompileCommand_getNumArgs", &ret->count_arguments},
        {"clang_CompileCommand_getArg", &ret->argument},
    };
    void *library = open_any();
    for (size_t i = 0; library && i < sizeof(functions) / sizeof(functions[0]); i++) {
        void *function = dlsym(library, functions[i].name);
        if (!function)
            return false;
        memcpy(functions[i].into, &function, sizeof(function));
    }
    return library != NULL;
}
