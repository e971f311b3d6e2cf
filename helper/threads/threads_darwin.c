#include "threads/threads.h"

#include "memory/kernel.h"

#include <string.h>

#if defined(__aarch64__)
static const char stack_pointer_name[] = "sp";
#else
static const char stack_pointer_name[] = "rsp";
#endif

/* Of the threads of a Mac only the asking one is told; it goes by the number of the process. */
enum loupe_status loupe_threads_visit(loupe_thread_visit visit, void *visitor) {
    struct loupe_process_thread own = {.id = (uint64_t)loupe_kernel_process()};
    enum loupe_status status = visit(visitor, 0, &own);
    return status ? status : LOUPE_EFAULT;
}

bool loupe_threads_register(uint64_t id, const char *name, loupe_addr own_stack_pointer,
                            uint64_t *ret) {
    (void)id;
    if (strcmp(name, stack_pointer_name) != 0 || !own_stack_pointer)
        return false;
    *ret = own_stack_pointer;
    return true;
}
