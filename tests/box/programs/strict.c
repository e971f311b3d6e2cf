/*
 * strict.c - what ends a program there, or is refused, and is no fault on the host: copies onto
 * themselves, locks of others, rights of a parent, places that are no pages (box: libraries/c.c,
 * host/pthread.c, kernel/ports.c, vm.c, bsd.c).
 */
#include "system.h"

enum {
    INVALID_ADDRESS = 1,
    PROTECTION_FAILURE = 2,
    INVALID_ARGUMENT = 4,
    INVALID_NAME = 15,
    READ = 1,
    PRIVATE = 2,
    FIXED = 0x10,
    ANONYMOUS = 0x1000,
    SIGNAL_ABORT = 6,
    SIGNAL_BUS = 10
};

extern uint32_t mach_task_self_;
extern uintptr_t vm_page_size;
int *__error(void);
void *mmap(void *address, size_t size, int protection, int flags, int file, int64_t offset);
int open(const char *path, int flags, ...);
int close(int file);
int pipe(int ends[2]);
int64_t write(int file, const void *bytes, size_t size);
int fork(void);
void _exit(int status);
int dup2(int file, int other);
int waitpid(int process, int *status, int options);
int getpid(void);
int kill(int process, int number);
uint32_t mach_thread_self(void);
int mach_port_deallocate(uint32_t task, uint32_t name);
int mach_vm_read_overwrite(uint32_t task, uint64_t address, uint64_t size, uint64_t data,
                           uint64_t *copied);
void os_unfair_lock_lock(uint32_t *lock);
void os_unfair_lock_unlock(uint32_t *lock);
void *__memcpy_chk(void *to, const void *from, size_t size, size_t room);
void *__memmove_chk(void *to, const void *from, size_t size, size_t room);
char *__strcpy_chk(char *to, const char *from, size_t room);
char *__strcat_chk(char *to, const char *from, size_t room);
int poll(void *files, unsigned count, int milliseconds);
int fcntl(int file, int command, ...);

/* ---- What a child of its own comes to ---- */

/* The signal that ended a child which did this; 0: it came through. */
static int ended_by(void (*act)(void)) {
    int status = 0, child = fork();
    if (!child) {
        dup2(open("/dev/null", 1), 2); /* the box says why, which is not of interest */
        act();
        _exit(0);
    }
    CHECK_EQ(waitpid(child, &status, 0), child);
    return status & 0x7f;
}

static char text[32] = "twelve bytes";
static uint32_t lock;

static void copy_onto_itself(void) {
    __memcpy_chk(text, text, 4, sizeof(text));
}

static void copy_across(void) {
    __memcpy_chk(text + 2, text, 4, sizeof(text) - 2);
}

static void shift(void) {
    __strcpy_chk(text, text + 1, sizeof(text));
}

static void append_end(void) {
    __strcat_chk(text, text + 6, sizeof(text));
}

static void copy_apart(void) {
    __memcpy_chk(text + 4, text, 4, sizeof(text) - 4);
    __memmove_chk(text + 1, text, 4, sizeof(text) - 1);
    __memcpy_chk(text, text, 0, sizeof(text));
}

static void lock_twice(void) {
    os_unfair_lock_lock(&lock);
    os_unfair_lock_lock(&lock);
}

static void unlock_nobodys(void) {
    os_unfair_lock_unlock(&lock);
}

static void end_by_bus(void) {
    kill(getpid(), SIGNAL_BUS);
}

static void check_ends(void) {
    CHECK_EQ(ended_by(copy_onto_itself), SIGNAL_ABORT);
    CHECK_EQ(ended_by(copy_across), SIGNAL_ABORT);
    CHECK_EQ(ended_by(shift), SIGNAL_ABORT);
    CHECK_EQ(ended_by(append_end), SIGNAL_ABORT);
    CHECK_EQ(ended_by(copy_apart), 0);
    CHECK_EQ(ended_by(lock_twice), SIGNAL_ABORT);
    CHECK_EQ(ended_by(unlock_nobodys), SIGNAL_ABORT);
    os_unfair_lock_lock(&lock);
    CHECK_EQ(ended_by(unlock_nobodys), SIGNAL_ABORT); /* of another thread, in the copy */
    os_unfair_lock_unlock(&lock);
    CHECK_EQ(ended_by(end_by_bus), SIGNAL_BUS);
}

/* ---- A copy has no rights of its parent ---- */

static uint32_t task, thread;

static void check_names_in_copy(void) {
    uint32_t own = mach_thread_self();
    CHECK(mach_task_self_ != task);
    CHECK(own != thread);
    CHECK_EQ(mach_port_deallocate(mach_task_self_, thread), INVALID_NAME);
    CHECK_EQ(mach_port_deallocate(mach_task_self_, own), 0);
    uint64_t copied;
    char byte;
    CHECK_EQ(mach_vm_read_overwrite(task, (uintptr_t)text, 1, (uintptr_t)&byte, &copied),
             INVALID_ARGUMENT);
    CHECK_EQ(mach_vm_read_overwrite(mach_task_self_, (uintptr_t)text, 1, (uintptr_t)&byte, &copied),
             0);
    _exit(checks_result());
}

static void check_copy(void) {
    int status = 0;
    task = mach_task_self_;
    thread = mach_thread_self();
    int child = fork();
    if (!child)
        check_names_in_copy();
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK_EQ(status, 0);
    CHECK_EQ(mach_port_deallocate(mach_task_self_, thread), 0);
}

/* ---- What is refused ---- */

static const char constant[16] = "may not change";

static int read_to(uint64_t place) {
    uint64_t copied;
    return mach_vm_read_overwrite(mach_task_self_, (uintptr_t)text, 8, place, &copied);
}

static void check_refusals(const char *program) {
    enum { NO_SUCH_PLACE = 0x8000 };
    CHECK_EQ(read_to((uintptr_t)constant), PROTECTION_FAILURE);
    CHECK_EQ(read_to(NO_SUCH_PLACE), INVALID_ADDRESS);
    CHECK_EQ(read_to(UINT64_MAX - 4), INVALID_ARGUMENT);
    int file = open(program, 0);
    char *mapped = mmap(NULL, 100, READ, PRIVATE, file, (int64_t)vm_page_size);
    CHECK(mapped != (char *)-1 && (uintptr_t)mapped % vm_page_size == 0);
    CHECK(mmap(NULL, 100, READ, PRIVATE, file, (int64_t)vm_page_size / 2) == (void *)-1);
    CHECK_EQ(*__error(), 22);
    CHECK(mmap(mapped + vm_page_size / 2, 100, READ, PRIVATE | FIXED, file, 0) == (void *)-1);
    CHECK(mmap(mapped, 100, READ, PRIVATE | FIXED | ANONYMOUS, -1, 0) == mapped && *mapped == 0);
    CHECK(mmap(NULL, 100, READ, PRIVATE, -1, 0) == (void *)-1);
    close(file);
}

/* So much goes into a pipe that nobody reads. */
static void check_pipe(void) {
    enum { SET_FLAGS = 4, NO_WAITING = 4, CAPACITY = 16384 };
    static char bytes[3 * CAPACITY];
    int ends[2];
    CHECK_EQ(pipe(ends), 0);
    fcntl(ends[1], SET_FLAGS, NO_WAITING);
    CHECK_EQ(write(ends[1], bytes, sizeof(bytes)), CAPACITY);
    close(ends[0]);
    close(ends[1]);
}

int main(int count, char **arguments) {
    (void)count;
    check_ends();
    check_copy();
    check_refusals(arguments[0]);
    check_pipe();
    return checks_result();
}
