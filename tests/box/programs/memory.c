/*
 * memory.c - the calls of Mach and BSD for memory: what they do, what they refuse and with which
 * result (xnu-10063, osfmk/vm).
 */
#include "system.h"

enum {
    SUCCESS,
    INVALID_ADDRESS,
    PROTECTION_FAILURE,
    NO_SPACE,
    INVALID_ARGUMENT,
    MEMORY_ERROR = 10,
    READ = 1,
    WRITE = 2,
    ANYWHERE = 1,
    ENOMEM = 12,
    EINVAL = 22
};

extern uint32_t mach_task_self_;
extern uintptr_t vm_page_size;
int mach_vm_allocate(uint32_t task, uint64_t *address, uint64_t size, int flags);
int mach_vm_deallocate(uint32_t task, uint64_t address, uint64_t size);
int mach_vm_protect(uint32_t task, uint64_t address, uint64_t size, int maximum, int protection);
int mach_vm_read_overwrite(uint32_t task, uint64_t address, uint64_t size, uint64_t data,
                           uint64_t *copied);
void *mmap(void *address, size_t size, int protection, int flags, int file, int64_t offset);
int munmap(void *address, size_t size);
int mprotect(void *address, size_t size, int protection);
int *__error(void);
int open(const char *path, int flags, ...);
int unlink(const char *path);
int64_t write(int file, const void *bytes, size_t size);

static uint64_t pages(uint64_t count) {
    uint64_t address = 0;
    CHECK_EQ(mach_vm_allocate(mach_task_self_, &address, count * vm_page_size, ANYWHERE), SUCCESS);
    CHECK(address && address % vm_page_size == 0);
    return address;
}

static int copy(uint64_t from, uint64_t size) {
    static char buffer[1 << 16];
    uint64_t copied = 0;
    int result = mach_vm_read_overwrite(mach_task_self_, from, size, (uintptr_t)buffer, &copied);
    CHECK_EQ(copied, result ? 0 : size);
    return result;
}

static void check_places(void) {
    uint64_t mine = pages(2), wanted = mine, nothing = 77;
    CHECK_EQ(mach_vm_allocate(mach_task_self_, &wanted, vm_page_size, 0), NO_SPACE);
    CHECK_EQ(mach_vm_deallocate(mach_task_self_, mine, 2 * vm_page_size), SUCCESS);
    wanted = mine + 5; /* rounded to the page */
    CHECK_EQ(mach_vm_allocate(mach_task_self_, &wanted, 10, 0), SUCCESS);
    CHECK_EQ(wanted, mine);
    *(volatile char *)(mine + vm_page_size - 1) = 1;
    CHECK_EQ(mach_vm_deallocate(mach_task_self_, mine, vm_page_size), SUCCESS);
    CHECK_EQ(mach_vm_allocate(mach_task_self_, &nothing, 0, ANYWHERE), SUCCESS);
    CHECK_EQ(nothing, 0);
    CHECK_EQ(mach_vm_allocate(mach_task_self_ + 1, &wanted, 1, ANYWHERE), INVALID_ARGUMENT);
    CHECK_EQ(mach_vm_deallocate(mach_task_self_, UINT64_MAX - 5, 4 * vm_page_size),
             INVALID_ARGUMENT);
}

static void check_protection(void) {
    uint64_t mine = pages(3), page = vm_page_size;
    CHECK_EQ(mach_vm_protect(mach_task_self_, mine + page, page, 0, 0), SUCCESS);
    CHECK_EQ(copy(mine, page), SUCCESS);
    CHECK_EQ(copy(mine + page - 1, 2), PROTECTION_FAILURE);
    CHECK_EQ(mach_vm_protect(mach_task_self_, mine, page, 1, READ), SUCCESS);
    CHECK_EQ(mach_vm_protect(mach_task_self_, mine, page, 0, READ | WRITE), PROTECTION_FAILURE);
    CHECK_EQ(mach_vm_deallocate(mach_task_self_, mine + page, page), SUCCESS);
    CHECK_EQ(copy(mine + page, 1), INVALID_ADDRESS);
    CHECK_EQ(copy(mine + 2 * page - 1, 2), INVALID_ADDRESS);
    CHECK_EQ(mach_vm_protect(mach_task_self_, mine, 3 * page, 0, READ), INVALID_ADDRESS);
    CHECK_EQ(mach_vm_deallocate(mach_task_self_, mine, 3 * page), SUCCESS); /* over the hole */
    CHECK_EQ(copy(mine, 1), INVALID_ADDRESS);
}

/* A file may end before its mapping does: all the map says is that it may be read. */
static void check_end_of_file(const char *path) {
    int file = open(path, 0x0202 /* O_RDWR | O_CREAT */, 0600);
    CHECK(file >= 0 && write(file, "text", 4) == 4);
    char *mapped = mmap(NULL, 2 * vm_page_size, READ, 2 /* MAP_PRIVATE */, file, 0);
    CHECK(mapped != (char *)-1 && mapped[1] == 'e');
    CHECK_EQ(copy((uintptr_t)mapped, 4), SUCCESS);
    CHECK_EQ(copy((uintptr_t)mapped + vm_page_size, 1), MEMORY_ERROR);
    CHECK_EQ(munmap(mapped, 2 * vm_page_size), 0);
    unlink(path);
}

static void check_bsd(void) {
    CHECK(mmap(NULL, 0, READ, 0x1002 /* MAP_ANON | MAP_PRIVATE */, -1, 0) == (void *)-1);
    CHECK_EQ(*__error(), EINVAL);
    char *mapped = mmap(NULL, 100, READ | WRITE, 0x1002, -1, 0);
    mapped[99] = 1;
    CHECK_EQ(copy((uintptr_t)mapped, vm_page_size), SUCCESS);
    CHECK_EQ(mprotect(mapped, 100, READ), 0);
    CHECK_EQ(munmap(mapped, 100), 0);
    CHECK_EQ(mprotect(mapped, 100, READ), -1);
    CHECK_EQ(*__error(), ENOMEM);
}

/* Nobody finds what belongs to the box: not its C library, not the stack that it was started on. */
static void check_hidden(char **arguments) {
    CHECK_EQ(copy((uintptr_t)arguments, sizeof(*arguments)), INVALID_ADDRESS);
    CHECK_EQ(copy((uintptr_t)&arguments, sizeof(arguments)), SUCCESS);
    CHECK_EQ(copy((uintptr_t)check_hidden, 16), SUCCESS);
}

int main(int count, char **arguments) {
    check_places();
    check_protection();
    check_end_of_file(count > 1 ? arguments[1] : "box_memory.file");
    check_bsd();
    check_hidden(arguments);
    return checks_result();
}
