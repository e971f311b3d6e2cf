/*
 * libclang.h - the compiler's own eyes, where this machine has them: libclang is looked for when it
 * is needed, and nothing is missing but its opinion where there is none.
 *
 * These are the parts of its C interface that are used here, as they have been since version 10.
 */
#ifndef LOUPE_CLI_FIX_LIBCLANG_H
#define LOUPE_CLI_FIX_LIBCLANG_H

#include <stdbool.h>

typedef struct {
    const void *data;
    unsigned flags;
} clang_string;

typedef struct {
    const void *data[2];
    unsigned at;
} clang_location;

typedef struct {
    const void *data[2];
    unsigned from, to;
} clang_range;

typedef struct {
    int kind;
    int extra;
    const void *data[3];
} clang_cursor;

typedef struct {
    int kind;
    void *data[2];
} clang_type;

/* A source as it is to be read, whatever the file of that name has in it. */
struct clang_text {
    const char *name, *bytes;
    unsigned long length;
};

/* Numbers of the interface. */
enum {
    CLANG_VARIABLE = 9,
    CLANG_PARAMETER = 10,
    CLANG_IVAR = 15,
    CLANG_NAME_USED = 101,
    CLANG_MEMBER_USED = 102,
    CLANG_BLOCK = 105,
    CLANG_SELF_USED = 146
};
enum { CLANG_TYPE_ID = 27, CLANG_TYPE_BLOCK = 102, CLANG_TYPE_OBJECT = 109 };
enum { CLANG_WARNING = 2, CLANG_ERROR = 3 };
enum { CLANG_STOP = 0, CLANG_CONTINUE = 1, CLANG_RECURSE = 2 };

typedef int (*clang_visitor)(clang_cursor cursor, clang_cursor parent, void *context);
typedef void (*clang_place_function)(clang_location location, void **file, unsigned *line,
                                     unsigned *column, unsigned *offset);

struct libclang {
    void *(*create_index)(int excludes_headers, int prints);
    int (*parse)(void *index, const char *name, const char *const *arguments, int count,
                 struct clang_text *texts, unsigned text_count, unsigned options, void **ret);
    void (*dispose_unit)(void *unit);
    unsigned (*count_diagnostics)(void *unit);
    void *(*diagnostic)(void *unit, unsigned index);
    int (*severity)(void *diagnostic);
    clang_string (*message)(void *diagnostic);
    clang_location (*place_of_diagnostic)(void *diagnostic);
    const char *(*text)(clang_string string);
    void (*dispose_string)(clang_string string);
    clang_string (*name_of_file)(void *file);
    clang_cursor (*root)(void *unit);
    unsigned (*visit)(clang_cursor parent, clang_visitor visit, void *context);
    clang_location (*location)(clang_cursor cursor);
    clang_range (*extent)(clang_cursor cursor);
    clang_location (*start)(clang_range range);
    clang_location (*end)(clang_range range);
    clang_place_function place; /* where it is written in the file, an argument of a macro too */
    clang_cursor (*declaration)(clang_cursor cursor);
    clang_string (*name)(clang_cursor cursor);
    clang_type (*type)(clang_cursor cursor);
    clang_type (*canonical)(clang_type type);
    unsigned (*is_in_main_file)(clang_location location);
    void *(*open_database)(const char *folder, int *error_ret);
    void *(*commands_for)(void *database, const char *file);
    unsigned (*count_commands)(void *commands);
    void *(*command)(void *commands, unsigned index);
    clang_string (*folder_of)(void *command);
    unsigned (*count_arguments)(void *command);
    clang_string (*argument)(void *command, unsigned index);
};

/* $LOUPE_LIBCLANG, else by the names that systems give it. False: there is none. */
bool libclang_open(struct libclang *ret);

#endif
