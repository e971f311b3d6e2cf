/* A library whose loading does not end. */
#include <unistd.h>

__attribute__((constructor)) static void wait_for_ever(void) {
    for (;;)
        pause();
}
