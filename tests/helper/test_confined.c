/* Reading a process that may do less than others: sandboxes and limits, each in a child. */
#include "check.h"
#include "emulated.h"
#include "memory/pages.h"
#include "self_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static size_t page_size;
static int page_of_file; /* a file of one page */

/* Failed checks of a child are counted here by its exit status. */
static bool holds_in_child(void (*checks)(void)) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        int failures_before = check_failures;
        checks();
        fflush(stdout);
        _exit(check_failures == failures_before ? 0 : 1);
    }
    int status = -1;
    return waitpid(child, &status, 0) == child && status == 0;
}

static bool readable(struct loupe_memory *memory, const void *place, size_t len) {
    uint8_t bytes[256];
    return loupe_memory_read(memory, (uintptr_t)place, bytes, len) == LOUPE_OK;
}

static const char constant[] = "a constant";

/* What holds for any process. */
static void check_that_memory_is_read(void) {
    char *pages =
        mmap(NULL, 3 * page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(pages + page_size, page_size, PROT_NONE);
    char *file = mmap(NULL, 2 * page_size, PROT_READ, MAP_SHARED, page_of_file, 0);
    char local = 0;
    struct loupe_self self;
    struct loupe_memory memory;
    if (!CHECK_EQ(loupe_self_init(&self, &loupe_pages), LOUPE_OK))
        return;
    loupe_memory_init(&memory, &loupe_self_ops, &self, loupe_own_machine, &loupe_pages);
    CHECK(readable(&memory, &local, 1));
    CHECK(readable(&memory, constant, sizeof(constant)));
    CHECK(readable(&memory, pages, 256));
    CHECK(!readable(&memory, pages + page_size, 1));
    CHECK(!readable(&memory, pages + page_size - 8, 16));
    CHECK(!readable(&memory, pages + 2 * page_size - 8, 16));
    CHECK(readable(&memory, pages + 2 * page_size, 8));
    CHECK(readable(&memory, file + page_size - 8, 8));
    CHECK(!readable(&memory, file + page_size - 8, 16));
    CHECK(!readable(&memory, (const void *)(uintptr_t)8, 8));
    mprotect(pages, page_size, PROT_NONE); /* what the list still calls readable */
    CHECK_EQ(loupe_regions_copy((uintptr_t)pages, &local, 1), LOUPE_EFAULT);
    loupe_memory_deinit(&memory);
    loupe_self_deinit(&self);
}

static void refuse_copies(void) {
    struct sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {.len = sizeof(program) / sizeof(*program), .filter = program};
    CHECK_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
    CHECK_EQ(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter), 0);
    check_that_memory_is_read();
}

static void test_sandbox_that_refuses_copies_is_no_obstacle(void) {
    if (kernel_has_filters())
        CHECK(holds_in_child(refuse_copies));
    else
        printf("skipped: no filters of calls, under an emulator\n");
}

static void use_up_files(void) {
    struct rlimit before, limit, after;
    getrlimit(RLIMIT_NOFILE, &before);
    limit = (struct rlimit){.rlim_cur = 64, .rlim_max = before.rlim_max};
    setrlimit(RLIMIT_NOFILE, &limit);
    while (open("/dev/null", O_RDONLY) >= 0)
        ;
    check_that_memory_is_read();
    getrlimit(RLIMIT_NOFILE, &after);
    CHECK_EQ(after.rlim_cur, 64);
    CHECK_EQ(after.rlim_max, limit.rlim_max);
    CHECK(open("/dev/null", O_RDONLY) < 0);
}

static void test_program_without_free_file_descriptors_is_read(void) {
    CHECK(holds_in_child(use_up_files));
}

static void leave_little_address_space(void) {
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK(file && fscanf(file, "%lu", &pages) == 1);
    if (file)
        fclose(file);
    struct rlimit limit = {.rlim_cur = pages * page_size + (8 << 20), .rlim_max = RLIM_INFINITY};
    CHECK_EQ(setrlimit(RLIMIT_AS, &limit), 0);
    check_that_memory_is_read();
}

static void test_little_address_space_is_enough(void) {
    CHECK(holds_in_child(leave_little_address_space));
}

int main(void) {
    page_size = (size_t)sysconf(_SC_PAGESIZE);
    char path[] = "/tmp/loupe-confined-XXXXXX";
    page_of_file = mkstemp(path);
    unlink(path);
    CHECK_EQ(ftruncate(page_of_file, (off_t)page_size), 0);
    RUN(test_sandbox_that_refuses_copies_is_no_obstacle);
    RUN(test_program_without_free_file_descriptors_is_read);
    RUN(test_little_address_space_is_enough);
    return check_report();
}
