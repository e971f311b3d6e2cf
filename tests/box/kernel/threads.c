#include "threads.h"

#include "../loader/image.h"
#include "kernel.h"
#include "map.h"
#include "vm.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum { MOST_THREADS = 512, NAME_SIZE = 64, FIRST_ID = 0x1000, MACH_SEND_INVALID_DEST = 0x10000003 };

struct thread {
    uint64_t id; /* 0: a free place */
    pthread_t pthread;
    int kernel_id; /* of the host */
    box_port port; /* libpthread holds a right of its own as long as the thread lives */
    char name[NAME_SIZE];
    unsigned suspensions;
    _Atomic(int) wanted;      /* to be stopped: a futex */
    _Atomic(int) has_stopped; /* a futex */
    const ucontext_t *registers;
    const uint64_t *place; /* where a call of the kernel was made that has not returned */
};

static struct thread threads[MOST_THREADS];
static uint64_t last_id = FIRST_ID;
static __thread struct thread *own;

static void wait_while(_Atomic(int) *word, int value) {
    while (*word == value)
        syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void set(_Atomic(int) *word, int value) {
    *word = value;
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1 << 20, NULL, NULL, 0);
}

/* ---- The table ---- */

static void stop_here(int signal, siginfo_t *info, void *context) {
    int before = errno;
    struct thread *thread = own;
    (void)signal;
    (void)info;
    if (thread && thread->wanted) {
        thread->registers = context;
        set(&thread->has_stopped, 1);
        wait_while(&thread->wanted, 1);
        set(&thread->has_stopped, 0);
    }
    errno = before;
}

void box_threads_begin(void) {
    struct sigaction action = {.sa_sigaction = stop_here, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigfillset(&action.sa_mask);
    sigaction(BOX_STOP_SIGNAL, &action, NULL);
    box_thread_enter();
}

void box_threads_begin_child(void) {
    for (unsigned i = 0; i < MOST_THREADS; i++)
        if (&threads[i] != own)
            threads[i].id = 0;
    box_ports_begin_child();
    if (!own)
        return;
    own->kernel_id = gettid();
    own->port = box_port_give(BOX_PORT_THREAD, own->id);
}

void box_thread_enter(void) {
    struct box_kernel_entry entry = box_kernel_enter();
    unsigned i = 0;
    while (i < MOST_THREADS && threads[i].id)
        i++;
    if (i == MOST_THREADS)
        box_fail("too many threads");
    own = &threads[i];
    *own = (struct thread){.id = ++last_id, .pthread = pthread_self(), .kernel_id = gettid()};
    own->port = box_port_give(BOX_PORT_THREAD, own->id);
    box_kernel_leave(entry);
}

void box_thread_leave(void) {
    struct box_kernel_entry entry = box_kernel_enter();
    while (own->wanted) { /* somebody waits for it to stop */
        box_kernel_leave(entry);
        entry = box_kernel_enter();
    }
    box_port_die(BOX_PORT_THREAD, own->id);
    box_port_take(own->port);
    own->id = 0;
    own = NULL;
    box_kernel_leave(entry);
}

static struct thread *thread_of(pthread_t pthread) {
    for (unsigned i = 0; i < MOST_THREADS; i++)
        if (threads[i].id && pthread_equal(threads[i].pthread, pthread))
            return &threads[i];
    return NULL;
}

uint64_t box_thread_id(pthread_t pthread) {
    struct box_kernel_entry entry = box_kernel_enter();
    const struct thread *thread = thread_of(pthread);
    uint64_t id = thread ? thread->id : 0;
    box_kernel_leave(entry);
    return id;
}

box_port box_thread_port(pthread_t pthread) {
    struct box_kernel_entry entry = box_kernel_enter();
    const struct thread *thread = thread_of(pthread);
    box_port port = thread ? thread->port : 0;
    box_kernel_leave(entry);
    return port;
}

unsigned host_box_rights_held(void) {
    struct box_kernel_entry entry = box_kernel_enter();
    unsigned held = box_ports_held();
    for (unsigned i = 0; i < MOST_THREADS; i++)
        held -= threads[i].id != 0;
    box_kernel_leave(entry);
    return held;
}

void box_thread_set_name(const char *name) {
    struct box_kernel_entry entry = box_kernel_enter();
    if (own)
        snprintf(own->name, sizeof(own->name), "%s", name);
    box_kernel_leave(entry);
}

void box_thread_get_name(pthread_t pthread, char *name, size_t capacity) {
    struct box_kernel_entry entry = box_kernel_enter();
    const struct thread *thread = thread_of(pthread);
    snprintf(name, capacity, "%s", thread ? thread->name : "");
    box_kernel_leave(entry);
}

/* ---- By ports; under the lock ---- */

static struct thread *thread_by(box_port port, int *result_ret) {
    uint64_t id = 0;
    enum box_port_kind kind = box_port_kind(port, &id);
    *result_ret = kind == BOX_PORT_TASK ? BOX_KERN_INVALID_ARGUMENT : MACH_SEND_INVALID_DEST;
    for (unsigned i = 0; kind == BOX_PORT_THREAD && i < MOST_THREADS; i++)
        if (threads[i].id == id)
            return &threads[i];
    return NULL;
}

box_port host_mach_thread_self(void) {
    struct box_kernel_entry entry = box_kernel_enter();
    box_port port = own ? box_port_give(BOX_PORT_THREAD, own->id) : 0;
    box_kernel_leave(entry);
    return port;
}

static unsigned give_all(box_port *list) {
    unsigned count = 0;
    for (unsigned i = 0; i < MOST_THREADS; i++)
        if (threads[i].id)
            list[count++] = box_port_give(BOX_PORT_THREAD, threads[i].id);
    return count;
}

int host_task_threads(box_port task, box_port **list, uint32_t *count) {
    uint64_t pages = 0;
    if (task != box_task_port)
        return BOX_KERN_INVALID_ARGUMENT;
    if (box_kernel_is_to_fail("task_threads"))
        return BOX_KERN_FAILURE;
    int result = host_mach_vm_allocate(task, &pages, MOST_THREADS * sizeof(**list), BOX_ANYWHERE);
    if (result)
        return result;
    struct box_kernel_entry entry = box_kernel_enter();
    *list = (box_port *)(uintptr_t)pages;
    *count = give_all(*list);
    box_kernel_leave(entry);
    /* Exactly the pages of the list are the caller's. */
    uint64_t used = box_page_up(*count * sizeof(**list)), all = MOST_THREADS * sizeof(**list);
    if (used < box_page_up(all))
        host_mach_vm_deallocate(task, pages + used, box_page_up(all) - used);
    return BOX_KERN_SUCCESS;
}

/* ---- Stopping ---- */

/* Outside of the lock, which the thread may have to get before it comes out of the kernel. */
static void wait_for_stop(struct thread *thread) {
    wait_while(&thread->has_stopped, 0);
}

int host_thread_suspend(box_port port) {
    struct box_kernel_entry entry = box_kernel_enter();
    int result = BOX_KERN_SUCCESS;
    struct thread *thread = thread_by(port, &result);
    if (thread == own && thread)
        box_fail("a thread suspends itself: nobody is there to wake it");
    if (thread && box_kernel_is_to_fail("thread_suspend")) {
        thread = NULL;
        result = BOX_KERN_TERMINATED;
    }
    bool is_first = thread && !thread->suspensions++;
    if (is_first) {
        thread->wanted = 1;
        syscall(SYS_tgkill, getpid(), thread->kernel_id, BOX_STOP_SIGNAL);
    }
    box_kernel_leave(entry);
    if (!thread)
        return result;
    wait_for_stop(thread);
    return BOX_KERN_SUCCESS;
}

int host_thread_resume(box_port port) {
    struct box_kernel_entry entry = box_kernel_enter();
    int result = BOX_KERN_SUCCESS;
    struct thread *thread = thread_by(port, &result);
    if (thread)
        result = thread->suspensions ? BOX_KERN_SUCCESS : BOX_KERN_FAILURE;
    bool is_last = thread && !result && !--thread->suspensions;
    if (is_last)
        set(&thread->wanted, 0);
    box_kernel_leave(entry);
    if (is_last) /* it is on its way: another stop is another one */
        wait_while(&thread->has_stopped, 1);
    return result;
}

/* ---- Registers ---- */

/* Nothing is locked: only the thread itself changes it. */
void host_box_enter_call(const uint64_t *place) {
    if (own)
        own->place = place;
}

void host_box_leave_call(void) {
    if (own)
        own->place = NULL;
}

#if defined(__x86_64__)
enum { STATE_FLAVOR = 4, STATE_COUNT = 42 };

static void copy_registers(const ucontext_t *context, uint32_t *state) {
    const greg_t *from = context->uc_mcontext.gregs;
    const uint64_t values[STATE_COUNT / 2] = {
        (uint64_t)from[REG_RAX], (uint64_t)from[REG_RBX], (uint64_t)from[REG_RCX],
        (uint64_t)from[REG_RDX], (uint64_t)from[REG_RDI], (uint64_t)from[REG_RSI],
        (uint64_t)from[REG_RBP], (uint64_t)from[REG_RSP], (uint64_t)from[REG_R8],
        (uint64_t)from[REG_R9],  (uint64_t)from[REG_R10], (uint64_t)from[REG_R11],
        (uint64_t)from[REG_R12], (uint64_t)from[REG_R13], (uint64_t)from[REG_R14],
        (uint64_t)from[REG_R15], (uint64_t)from[REG_RIP], (uint64_t)from[REG_EFL],
    };
    memcpy(state, values, sizeof(values));
}

/* Where a place has its registers (libraries/blocking.h). */
static const unsigned char of_place[] = {16, 7, 6, 1, 12, 13, 14, 15};
#else
static const unsigned char of_place[] = {32, 31, 29, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28};

enum { STATE_FLAVOR = 6, STATE_COUNT = 68 };

/* x0 to x28, fp, lr, sp, pc, and cpsr. */
static void copy_registers(const ucontext_t *context, uint32_t *state) {
    const mcontext_t *from = &context->uc_mcontext;
    uint64_t values[STATE_COUNT / 2] = {0};
    memcpy(values, from->regs, sizeof(from->regs));
    values[31] = from->sp;
    values[32] = from->pc;
    values[33] = from->pstate & UINT32_MAX;
    memcpy(state, values, sizeof(values));
}
#endif

/* The program counter, the stack and frame pointer, and what calls keep. */
static void copy_place(const uint64_t *place, uint32_t *state) {
    uint64_t *values = (void *)state;
    for (size_t i = 0; i < sizeof(of_place); i++)
        values[of_place[i]] = place[i];
}

/* Of a thread that runs, too: it is stopped for as long as it takes. */
int host_thread_get_state(box_port port, int flavor, uint32_t *state, uint32_t *count) {
    struct box_kernel_entry entry = box_kernel_enter();
    int result = BOX_KERN_SUCCESS;
    struct thread *thread = thread_by(port, &result);
    bool is_own = thread && thread == own;
    box_kernel_leave(entry);
    if (!thread)
        return result;
    if (flavor != STATE_FLAVOR || *count < STATE_COUNT || is_own ||
        box_kernel_is_to_fail("thread_get_state"))
        return BOX_KERN_INVALID_ARGUMENT;
    result = host_thread_suspend(port);
    if (result)
        return result;
    copy_registers(thread->registers, state);
    if (thread->place)
        copy_place(thread->place, state);
    *count = STATE_COUNT;
    return host_thread_resume(port);
}

/* ---- About a thread ---- */

enum { IDENTIFIER_FLAVOR = 4, IDENTIFIER_COUNT = 6, EXTENDED_FLAVOR = 5, EXTENDED_COUNT = 28 };

static void tell_identifier(const struct thread *thread, int *info) {
    uint64_t variables = (uint64_t)thread->pthread + BOX_PTHREAD_VARIABLES;
    memcpy(info, (const uint64_t[]){thread->id, variables, 0}, IDENTIFIER_COUNT * sizeof(*info));
}

static uint64_t nanoseconds_run(const struct thread *thread) {
    clockid_t clock;
    struct timespec run = {0};
    if (!pthread_getcpuclockid(thread->pthread, &clock))
        clock_gettime(clock, &run);
    return (uint64_t)run.tv_sec * 1000000000 + (uint64_t)run.tv_nsec;
}

/* xnu-10063, osfmk/kern/thread_act.c and thread.c: one that is suspended has stopped; one that runs
 * or could is running. */
static int run_state(const struct thread *thread) {
    enum { RUNNING = 1, STOPPED, WAITING, MAY_WAIT = sizeof(of_place) /* behind its registers */ };
    const uint64_t *place = thread->place;
    return thread->suspensions ? STOPPED : place && place[MAY_WAIT] ? WAITING : RUNNING;
}

static void tell_extended(const struct thread *thread, int *info) {
    enum { RUN_STATE = 6, NAME = 12 };
    uint64_t run = nanoseconds_run(thread);
    memset(info, 0, EXTENDED_COUNT * sizeof(*info));
    memcpy(info, &run, sizeof(run));
    info[RUN_STATE] = run_state(thread);
    memcpy(info + NAME, thread->name, sizeof(thread->name));
}

int host_thread_info(box_port port, uint32_t flavor, int *info, uint32_t *count) {
    struct box_kernel_entry entry = box_kernel_enter();
    int result = BOX_KERN_SUCCESS;
    const struct thread *thread = thread_by(port, &result);
    uint32_t needed = flavor == IDENTIFIER_FLAVOR ? IDENTIFIER_COUNT : EXTENDED_COUNT;
    if (thread && ((flavor != IDENTIFIER_FLAVOR && flavor != EXTENDED_FLAVOR) || *count < needed ||
                   box_kernel_is_to_fail("thread_info")))
        result = BOX_KERN_INVALID_ARGUMENT;
    else if (thread) {
        (flavor == IDENTIFIER_FLAVOR ? tell_identifier : tell_extended)(thread, info);
        *count = needed;
        result = BOX_KERN_SUCCESS;
    }
    box_kernel_leave(entry);
    return result;
}
