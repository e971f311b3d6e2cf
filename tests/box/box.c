/*
 * box.c - runs a Mach-O program of the tests in a process of Linux, on doubles of Darwin's kernel
 * and libraries. README.md has what they are and how far they go.
 *
 *     box [--root DIR] [--insert DYLIB]... [--shared-cache] PROGRAM [ARGUMENT]...
 */
#include "dyld/dyld.h"
#include "kernel/kernel.h"
#include "kernel/large_cache.h"
#include "kernel/map.h"
#include "kernel/threads.h"
#include "host/stacks.h"
#include "loader/images.h"
#include "loader/initializers.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#define LARGE_CACHE ((uint64_t)4 << 30)
enum { LARGE_CACHE_MAPPINGS = 3000 };
enum { MOST_INSERTED = 32, MAIN_STACK = 8 << 20 };

static const char *program;
static const char *inserted[MOST_INSERTED];
static unsigned inserted_count;
static uint64_t cache_size;
static bool large_cache; /* 4 GB beside, in 3,000 mappings */

static const char usage[] =
    "usage: box [--root DIR] [--shared-cache] [--insert DYLIB]... PROGRAM [ARGUMENT]...\n";

static _Noreturn void wrong_usage(void) {
    fputs(usage, stderr);
    exit(2);
}

static void insert(const char *name) {
    if (inserted_count == MOST_INSERTED)
        box_fail("too many libraries are inserted");
    inserted[inserted_count++] = name;
}

/* Libraries between colons, as dyld takes them. */
static void insert_all(const char *names) {
    char *copy = names ? strdup(names) : NULL;
    for (char *name = copy ? strtok(copy, ":") : NULL; name; name = strtok(NULL, ":"))
        insert(name);
}

/* Where options that need a value find it. */
static const char *value_of(char **arguments, int *at) {
    if (!arguments[*at + 1])
        wrong_usage();
    return arguments[++*at];
}

/* Returns where the program's own arguments begin, with its name. */
static int take_options(char **arguments) {
    int at = 1;
    for (; arguments[at] && arguments[at][0] == '-'; at++) {
        if (strcmp(arguments[at], "--insert") == 0)
            insert(value_of(arguments, &at));
        else if (strcmp(arguments[at], "--root") == 0)
            box_root = value_of(arguments, &at);
        else if (strcmp(arguments[at], "--shared-cache") == 0)
            cache_size = (uint64_t)256 << 20;
        else if (strcmp(arguments[at], "--large-cache") == 0)
            large_cache = true;
        else if (strcmp(arguments[at], "--list-across-megabyte") == 0)
            box_dyld_list_place = BOX_LIST_ACROSS_MEGABYTE;
        else
            wrong_usage();
    }
    if (!arguments[at])
        wrong_usage();
    /* Also behind the program, for it is typed like that. */
    while (arguments[at + 1] && strcmp(arguments[at + 1], "--insert") == 0 && arguments[at + 2]) {
        insert(arguments[at + 2]);
        arguments[at + 2] = arguments[at];
        at += 2;
    }
    program = arguments[at];
    return at;
}

/* Beside the box, where the build puts the doubles of the system's libraries. */
static void find_root(void) {
    static char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 8);
    char *slash = length > 0 ? memrchr(path, '/', (size_t)length) : NULL;
    if (!slash)
        box_fail("the box does not know where it stands");
    strcpy(slash, "/root");
    box_root = path;
}

/* Asked for by who debugs the program (mac_server.py): it is told where the list of images stands,
 * and the program waits in front of its main(). */
static void wait_for_debugger(void) {
    const char *path = getenv("BOX_DEBUGGER");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file)
        return;
    fprintf(file, "%#lx\n", (unsigned long)box_dyld_list());
    fclose(file);
    raise(SIGSTOP);
}

typedef int main_function(int count, char **arguments, char **environment, char **apple);

static void run_program(void) {
    box_images_start(program, inserted, inserted_count);
    const struct box_image *image = box_images.items[0];
    if (!image->main)
        box_fail("%s has no main()", image->path);
    wait_for_debugger();
    main_function *entry = (main_function *)((uintptr_t)image->header + image->main->entry);
    exit(entry(box_arguments.count, box_arguments.arguments, box_arguments.environment,
               box_arguments.apple));
}

/* On a stack that the program can find; the host's own is none of its memory. */
static void run_on_own_stack(void) {
    static ucontext_t context, before;
    char *stack = box_stack_make(MAIN_STACK);
    box_stack_note(pthread_self(), (uintptr_t)stack, MAIN_STACK);
    getcontext(&context);
    context.uc_stack.ss_sp = stack;
    context.uc_stack.ss_size = MAIN_STACK;
    context.uc_link = &before;
    makecontext(&context, run_program, 0);
    swapcontext(&before, &context);
}

int main(int count, char **arguments, char **environment) {
    static char *apple[2];
    find_root();
    insert_all(getenv("DYLD_INSERT_LIBRARIES"));
    int at = take_options(arguments);
    apple[0] = arguments[at];
    box_arguments = (struct box_arguments){count - at, arguments + at, environment, apple};
    box_kernel_begin();
    if (large_cache && !cache_size)
        cache_size = (uint64_t)256 << 20;
    if (cache_size) {
        box_has_shared_cache = true;
        box_shared_region_begin(cache_size + (large_cache ? LARGE_CACHE : 0));
        if (large_cache)
            box_large_cache_fill(LARGE_CACHE, LARGE_CACHE_MAPPINGS);
    }
    run_on_own_stack();
    return 1;
}
