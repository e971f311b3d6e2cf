/*
 * threads.c - threads by ports: rights that are counted and given back, registers of a thread that
 * stands, what is told of each, and what is refused (xnu-10063, osfmk/kern/thread_act.c).
 */
#include "system.h"

enum {
    INVALID_ARGUMENT = 4,
    FAILURE = 5,
    INVALID_NAME = 15,
    NO_SUCH_PORT = 0x10000003,
    IDENTIFIER = 4,
    IDENTIFIER_COUNT = 6,
    EXTENDED = 5,
    EXTENDED_COUNT = 28,
#if defined(__x86_64__)
    STATE = 4,
    STATE_COUNT = 42,
    STACK_POINTER = 7
#else
    STATE = 6,
    STATE_COUNT = 68,
    STACK_POINTER = 31
#endif
};

extern uint32_t mach_task_self_;
extern uintptr_t vm_page_size;
int task_threads(uint32_t task, uint32_t **threads, uint32_t *count);
int thread_suspend(uint32_t thread);
int thread_resume(uint32_t thread);
int thread_get_state(uint32_t thread, int flavor, void *state, uint32_t *count);
int thread_info(uint32_t thread, uint32_t flavor, void *info, uint32_t *count);
int mach_port_deallocate(uint32_t task, uint32_t port);
uint32_t mach_thread_self(void);
int mach_vm_deallocate(uint32_t task, uint64_t address, uint64_t size);
int mach_vm_read_overwrite(uint32_t task, uint64_t address, uint64_t size, uint64_t data,
                           uint64_t *copied);
typedef struct pthread *pthread_t;
int pthread_create(pthread_t *thread, const void *attributes, void *(*routine)(void *),
                   void *argument);
int pthread_join(pthread_t thread, void **result);
pthread_t pthread_self(void);
int pthread_threadid_np(pthread_t thread, uint64_t *id);
int pthread_setname_np(const char *name);
uint32_t pthread_mach_thread_np(pthread_t thread);
void *pthread_get_stackaddr_np(pthread_t thread);
size_t pthread_get_stacksize_np(pthread_t thread);
int usleep(unsigned microseconds);
unsigned host_box_rights_held(void);

/* ---- One that counts ---- */

static _Atomic(uint64_t) counted;
static _Atomic(int) is_over, has_begun;

static void *count_on(void *argument) {
    (void)argument;
    pthread_setname_np("counter");
    has_begun = 1;
    while (!is_over)
        counted++;
    return NULL;
}

static pthread_t begin(void) {
    pthread_t thread;
    is_over = has_begun = 0;
    CHECK_EQ(pthread_create(&thread, NULL, count_on, NULL), 0);
    while (!has_begun)
        usleep(100);
    return thread;
}

static void end(pthread_t thread) {
    is_over = 1;
    CHECK_EQ(pthread_join(thread, NULL), 0);
}

/* ---- Rights ---- */

static void check_rights(void) {
    unsigned before = host_box_rights_held();
    uint32_t *threads, count;
    pthread_t other = begin();
    uint32_t port = pthread_mach_thread_np(other);
    CHECK_EQ(host_box_rights_held(), before); /* this one is no right */
    CHECK_EQ(task_threads(mach_task_self_, &threads, &count), 0);
    CHECK_EQ(count, 2);
    CHECK_EQ(threads[1], port);
    CHECK_EQ(mach_thread_self(), threads[0]);
    CHECK_EQ(host_box_rights_held(), before + 3);
    CHECK_EQ(mach_port_deallocate(mach_task_self_, threads[0]), 0);
    CHECK_EQ(mach_port_deallocate(mach_task_self_, threads[0]), 0);
    end(other);
    CHECK_EQ(thread_suspend(port), NO_SUCH_PORT);
    CHECK_EQ(mach_port_deallocate(mach_task_self_, port), 0);
    CHECK_EQ(mach_port_deallocate(mach_task_self_, port), INVALID_NAME);
    CHECK_EQ(host_box_rights_held(), before);
    CHECK_EQ(mach_vm_deallocate(mach_task_self_, (uintptr_t)threads, count * sizeof(*threads)), 0);
    CHECK_EQ(mach_port_deallocate(mach_task_self_, 0x1234503), INVALID_NAME);
    CHECK_EQ(thread_resume(mach_task_self_), INVALID_ARGUMENT);
}

/* ---- Stopping ---- */

static void check_stops(uint32_t port) {
    CHECK_EQ(thread_suspend(port), 0);
    CHECK_EQ(thread_suspend(port), 0);
    uint64_t here = counted;
    usleep(20000);
    CHECK_EQ(counted, here);
    CHECK_EQ(thread_resume(port), 0);
    usleep(20000);
    CHECK_EQ(counted, here);
    CHECK_EQ(thread_resume(port), 0);
    while (counted == here)
        usleep(100);
    CHECK_EQ(thread_resume(port), FAILURE);
}

static void check_registers(pthread_t thread, uint32_t port) {
    uint64_t state[STATE_COUNT / 2] = {0};
    uint32_t count = STATE_COUNT;
    uintptr_t top = (uintptr_t)pthread_get_stackaddr_np(thread);
    CHECK_EQ(thread_get_state(port, STATE, state, &count), 0); /* of one that runs, too */
    CHECK_EQ(count, STATE_COUNT);
    uint64_t stack = state[STACK_POINTER];
    CHECK(stack < top && stack > top - pthread_get_stacksize_np(thread));
    count = STATE_COUNT - 1;
    CHECK_EQ(thread_get_state(port, STATE, state, &count), INVALID_ARGUMENT);
    count = STATE_COUNT;
    CHECK_EQ(thread_get_state(port, STATE + 1, state, &count), INVALID_ARGUMENT);
    /* A page below the stack that nobody may touch. */
    uint64_t copied;
    char byte;
    CHECK_EQ(mach_vm_read_overwrite(mach_task_self_, top - pthread_get_stacksize_np(thread) - 1, 1,
                                    (uintptr_t)&byte, &copied),
             2);
}

/* ---- What is told ---- */

static void check_info(pthread_t thread, uint32_t port) {
    uint64_t identifier[3], own[3], id;
    struct {
        uint64_t user, system;
        int32_t others[8];
        char name[64];
    } extended;
    uint32_t count = IDENTIFIER_COUNT, self = mach_thread_self();
    CHECK_EQ(thread_info(port, IDENTIFIER, identifier, &count), 0);
    CHECK_EQ(pthread_threadid_np(thread, &id), 0);
    CHECK_EQ(identifier[0], id);
    CHECK_EQ(thread_info(self, IDENTIFIER, own, &count), 0);
    CHECK_EQ(identifier[1] - (uintptr_t)thread, own[1] - (uintptr_t)pthread_self());
    count = EXTENDED_COUNT;
    CHECK_EQ(thread_info(port, EXTENDED, &extended, &count), 0);
    CHECK(strcmp(extended.name, "counter") == 0 && extended.user + extended.system > 0);
    count = EXTENDED_COUNT - 1;
    CHECK_EQ(thread_info(port, EXTENDED, &extended, &count), INVALID_ARGUMENT);
    CHECK_EQ(mach_port_deallocate(mach_task_self_, self), 0);
}

int main(void) {
    check_rights();
    pthread_t thread = begin();
    uint32_t port = pthread_mach_thread_np(thread);
    uint32_t *threads, count;
    CHECK_EQ(task_threads(mach_task_self_, &threads, &count), 0);
    check_stops(port);
    check_registers(thread, port);
    check_info(thread, port);
    end(thread);
    return checks_result();
}
