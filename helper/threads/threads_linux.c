#include "threads/threads.h"

#include "memory/entries.h"
#include "memory/kernel.h"
#include "memory/system.h"

#include <string.h>

enum { MAX_PATH = 64, MAX_LINE = 256 };

#if defined(__aarch64__)
static const char stack_pointer_name[] = "sp", thread_pointer_name[] = "tpidr";
#elif defined(__x86_64__)
static const char stack_pointer_name[] = "rsp", thread_pointer_name[] = "fs_base";
#else
static const char stack_pointer_name[] = "sp", thread_pointer_name[] = "";
#endif

/* ---- The list ---- */

struct listing {
    loupe_thread_visit visit;
    void *visitor;
    uint32_t count;
};

static enum loupe_status visit_thread(void *visitor, uint64_t id) {
    struct listing *listing = visitor;
    struct loupe_process_thread about = {.id = id};
    return id == (uint64_t)loupe_kernel_process()
               ? LOUPE_OK
               : listing->visit(listing->visitor, listing->count++, &about);
}

/* The first thread has the number of the process. */
enum loupe_status loupe_threads_visit(loupe_thread_visit visit, void *visitor) {
    struct listing listing = {.visit = visit, .visitor = visitor, .count = 1};
    struct loupe_process_thread first = {.id = (uint64_t)loupe_kernel_process()};
    enum loupe_status status = visit(visitor, 0, &first);
    return status ? status : loupe_entries_visit("/proc/self/task", visit_thread, &listing);
}

/* ---- Registers ---- */

static uint64_t own_thread_pointer(void) {
    uint64_t pointer = 0;
#if defined(__x86_64__)
    __asm__("movq %%fs:0, %0" : "=r"(pointer));
#elif defined(__aarch64__)
    __asm__("mrs %0, tpidr_el0" : "=r"(pointer));
#endif
    return pointer;
}

static uint64_t hex_at(const char *text) {
    uint64_t value = 0;
    for (text += 2;; text++) {
        unsigned letter = (unsigned char)*text;
        unsigned digit = letter - (letter >= 'a' ? 'a' - 10u : '0');
        if (digit > 15)
            return value;
        value = value << 4 | digit;
    }
}

/* The last line but one of numbers: "-1 0x7ffc1000 0x4010" of a stopped thread, with six arguments
 * more of one in a system call; "running" of another. */
static uint64_t stack_pointer_in(const char *line) {
    const char *last = NULL, *before = NULL;
    for (const char *at = line; at[0] && at[1]; at++) {
        if (at[0] == '0' && at[1] == 'x') {
            before = last;
            last = at;
        }
    }
    return before ? hex_at(before) : 0;
}

static uint64_t stack_pointer_of(uint64_t id) {
    char path[MAX_PATH], line[MAX_LINE] = "";
    loupe_format(path, sizeof(path), "/proc/self/task/%llu/syscall", (unsigned long long)id);
    int file = loupe_system_open(path);
    if (file < 0)
        return 0;
    long length = loupe_system_read(file, line, sizeof(line) - 1);
    loupe_system_close(file);
    line[length > 0 ? length : 0] = '\0';
    return stack_pointer_in(line);
}

bool loupe_threads_register(uint64_t id, const char *name, loupe_addr own_stack_pointer,
                            uint64_t *ret) {
    bool is_own = id == (uint64_t)loupe_system_thread();
    uint64_t value = 0;
    if (strcmp(name, stack_pointer_name) == 0)
        value = is_own ? own_stack_pointer : stack_pointer_of(id);
    else if (is_own && strcmp(name, thread_pointer_name) == 0)
        value = own_thread_pointer();
    if (value)
        *ret = value;
    return value != 0;
}
