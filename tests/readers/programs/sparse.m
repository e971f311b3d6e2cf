/* A large mapping of one kind with one word in it, which alone holds an object: what it takes to look
 * at the rest shows in the pages that the program has afterwards. Waits for the end of its input;
 * for each byte of it that comes before, it asks the helper in it for its leaks and prints the answer.
 *
 * usage: sparse KIND FILE     FILE: does not exist, for those kinds that have one
 */
#define _GNU_SOURCE
#import <Foundation/Foundation.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { HUGE_PAGE = 2 << 20 };
static const size_t size = (size_t)1 << 30;
static const size_t size_of_file = (size_t)20 << 30;

@interface Payload : NSObject
@end
@implementation Payload
@end

static void *map(size_t length, int flags, int file) {
    return mmap(NULL, length, PROT_READ | PROT_WRITE, flags | MAP_NORESERVE, file, 0);
}

static void *map_file(int file, size_t length) {
    return file < 0 || ftruncate(file, (off_t)length) ? MAP_FAILED : map(length, MAP_SHARED, file);
}

/* A file that goes a page further than its middle, and is mapped as if it could grow. */
static void *map_short(const char *path) {
    int file = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
    bool is_made = file >= 0 && !ftruncate(file, (off_t)(size / 2 + 1));
    return is_made ? map(size, MAP_SHARED, file) : MAP_FAILED;
}

/* A file that has no name any more, and is not open either. */
static void *map_deleted(const char *path) {
    int file = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
    void *mapped = map_file(file, size);
    unlink(path);
    close(file);
    return mapped;
}

static void *map_segment(void) {
    int segment = shmget(IPC_PRIVATE, size, IPC_CREAT | SHM_NORESERVE | 0600);
    void *mapped = segment < 0 ? MAP_FAILED : shmat(segment, NULL, 0);
    shmctl(segment, IPC_RMID, NULL);
    return mapped;
}

/* Whoever looks at a page that is not there waits for this program, which never answers. */
static void *map_handled(void *mapped) {
    int handler = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
    struct uffdio_api api = {.api = UFFD_API};
    struct uffdio_register all = {.range = {.start = (uintptr_t)mapped, .len = size},
                                  .mode = UFFDIO_REGISTER_MODE_MISSING};
    struct uffdio_zeropage used = {
        .range = {.start = (uintptr_t)mapped + size / 2, .len = (size_t)sysconf(_SC_PAGESIZE)}};
    bool works = handler >= 0 && !ioctl(handler, UFFDIO_API, &api) &&
                 !ioctl(handler, UFFDIO_REGISTER, &all) && !ioctl(handler, UFFDIO_ZEROPAGE, &used);
    return works ? mapped : MAP_FAILED;
}

static void *map_kind(const char *kind, const char *path) {
    if (strcmp(kind, "private") == 0)
        return map(size, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    if (strcmp(kind, "shared") == 0)
        return map(size, MAP_SHARED | MAP_ANONYMOUS, -1);
    if (strcmp(kind, "memfd") == 0)
        return map_file(memfd_create("sparse", 0), size);
    if (strcmp(kind, "segment") == 0)
        return map_segment();
    if (strcmp(kind, "file") == 0)
        return map_file(open(path, O_RDWR | O_CREAT | O_EXCL, 0600), size_of_file);
    if (strcmp(kind, "short") == 0)
        return map_short(path);
    if (strcmp(kind, "deleted") == 0)
        return map_deleted(path);
    if (strcmp(kind, "handled") == 0)
        return map_handled(map_file(memfd_create("sparse", 0), size));
    if (strcmp(kind, "handled-private") == 0)
        return map_handled(map(size, MAP_PRIVATE | MAP_ANONYMOUS, -1));
    return map(4 * HUGE_PAGE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1);
}

static void hold(char *mapped, size_t offset) {
    *(void **)(void *)(mapped + offset) = (__bridge_retained void *)[Payload new];
}

/* Where a debugger stops. */
extern void sparse_ready(void);
__attribute__((noinline)) void sparse_ready(void) {
    puts("ready");
    fflush(stdout);
}

static void ask_itself(void) {
    const char *(*ask)(void) = (const char *(*)(void))dlsym(RTLD_DEFAULT, "loupe_leaks");
    puts(ask ? ask() : "{}");
    fflush(stdout);
}

int main(int argc, char **argv) {
    char byte, *mapped = argc == 3 ? map_kind(argv[1], argv[2]) : MAP_FAILED;
    if (mapped == MAP_FAILED) {
        puts("not available");
        return 77;
    }
    bool is_huge = strcmp(argv[1], "huge") == 0;
    if (!is_huge)
        madvise(mapped, size, MADV_NOHUGEPAGE);
    hold(mapped, is_huge ? HUGE_PAGE : size / 2);
    sparse_ready();
    while (read(0, &byte, 1) == 1)
        ask_itself();
    return 0;
}
