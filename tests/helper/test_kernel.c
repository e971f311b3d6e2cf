/*
 * What tests pass over where an emulator plays the kernel (emulated.h) is there on a kernel. In an
 * emulator nothing is checked but that asking comes to an end; what it plays is said.
 */
#include "check.h"
#include "emulated.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(IN_EMULATOR)
enum { ON_KERNEL = 0 };
#else
enum { ON_KERNEL = 1 };
#endif

static void check_on_kernel(bool holds, const char *text) {
    printf("%s: %s\n", text, holds ? "yes" : "no");
    CHECK(holds || !ON_KERNEL);
}

static void test_what_is_passed_over_in_an_emulator_is_there(void) {
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    char *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(page != MAP_FAILED && !kernel_refuses(page));
    CHECK_EQ(mprotect(page, size, PROT_NONE), 0);
    CHECK(kernel_refuses(page));
    munmap(page, size);
    check_on_kernel(kernel_tells_of_protected_pages(), "mincore() of protected pages");
    check_on_kernel(kernel_tells_of_threads(), "threads and where they stand");
    check_on_kernel(kernel_has_filters(), "filters of calls");
}

int main(void) {
    RUN(test_what_is_passed_over_in_an_emulator_is_there);
    return check_report();
}
