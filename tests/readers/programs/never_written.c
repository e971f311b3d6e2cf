/* Memory that nobody writes to: of a library that has nothing else in its data, and of a region. */
#define _GNU_SOURCE

#include <stddef.h>
#include <sys/mman.h>

enum { PAGE = 4096, SIZE = 1 << 20, LARGE_SIZE = 1 << 30 };

extern char never_written[SIZE];
char never_written[SIZE] __attribute__((aligned(PAGE)));

/* A word in the middle of a gigabyte; the rest is never written to. */
extern void **word_of_a_gigabyte(void) __attribute__((visibility("default")));
void **word_of_a_gigabyte(void) {
    char *region = mmap(NULL, LARGE_SIZE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    madvise(region, LARGE_SIZE, MADV_NOHUGEPAGE);
    return (void **)(void *)(region + LARGE_SIZE / 2);
}
