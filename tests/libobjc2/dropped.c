/* What only the fixtures need: they watch blocks, and what is left once main() has returned. */
#include "after_main.h"
#include "watch.h"

#include <stdlib.h>

/* Blocks have no -dealloc, but each begins where its memory does. */
void free(void *block) {
    extern void __libc_free(void *);
    watch_freed(block);
    __libc_free(block);
}

int __wrap_main(int count, char **arguments) {
    const char *truth = getenv("LOUPE_FIXTURE_TRUTH");
    int status = __real_main(count, arguments);
    if (truth) {
        watch_tell(truth);
        after_main_clear();
        after_main_wait();
    }
    return status;
}
