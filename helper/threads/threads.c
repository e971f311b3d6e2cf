/* Registers of a thread by their names. */
#include "threads/threads.h"

#include "memory/machine.h"

#include <string.h>

#if defined(__aarch64__)
static const char thread_pointer_name[] = "tpidr";
#elif defined(__x86_64__)
static const char thread_pointer_name[] = "fs_base";
#else
static const char thread_pointer_name[] = "";
#endif

bool loupe_own_thread_register(const struct loupe_own_thread *thread, const char *name,
                               uint64_t *ret) {
    if (strcmp(name, thread_pointer_name) == 0) {
        *ret = thread->thread_pointer;
        return *ret != 0;
    }
    int number = loupe_frame_register_named(loupe_own_machine.arch, name);
    if (number < 0 || !loupe_frame_knows(&thread->registers, (unsigned)number))
        return false;
    *ret = thread->registers.registers[number];
    return true;
}
