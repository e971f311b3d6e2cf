/* Threads of Linux, by /proc/self/task. */
#include "threads/threads.h"

#include "memory/machine.h"
#include "kernel/system.h"
#include "threads/listing.h"

#include <string.h>

enum { MAX_PATH = 64, MAX_LINE = 256 };

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

/* ---- The list ---- */

struct listing {
    loupe_own_thread_visit visit;
    void *visitor;
};

static enum loupe_status tell(void *visitor, uint32_t number,
                              const struct loupe_process_thread *about) {
    const struct listing *listing = visitor;
    const struct loupe_frame_machine *machine = loupe_frame_machine_of(loupe_own_machine.arch);
    struct loupe_own_thread thread = {.about = *about,
                                      .asks = about->id == (uint64_t)loupe_system_thread()};
    uint64_t stack_pointer = thread.asks || !machine ? 0 : stack_pointer_of(about->id);
    (void)number;
    if (thread.asks)
        thread.thread_pointer = own_thread_pointer();
    if (stack_pointer)
        loupe_frame_set(&thread.registers, machine->sp, stack_pointer);
    return listing->visit(listing->visitor, &thread);
}

enum loupe_status loupe_own_threads_visit(loupe_own_thread_visit visit, void *visitor) {
    struct listing listing = {.visit = visit, .visitor = visitor};
    return loupe_threads_list(tell, &listing);
}

/* ---- Holding ---- */

bool loupe_threads_hold(void) {
    return false;
}

void loupe_threads_let_go(void) {}

uint64_t loupe_threads_held_for(void) {
    return 0;
}
