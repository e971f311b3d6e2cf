/* A thread is held still by a signal, in whose handler it waits. */
#include "threads/stop.h"

#include "kernel/kernel.h"
#include "memory/regions.h"
#include "kernel/system.h"
#include "kernel/system_call.h"
#include "threads/proc_task.h"
#include "unwind/unwind.h"

#include <linux/futex.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <ucontext.h>

enum {
    COMES_WITHIN = 500,   /* milliseconds in which a thread answers, also on a busy machine */
    UNBLOCKS_WITHIN = 50, /* in which one does that blocks signals, for a moment as it seems */
    LEAVES_WITHIN = 200,  /* and in which all do together that the kernel is busy with */
    HELD_AT_MOST = 2000   /* and in which it goes on by itself */
};

/* ---- The signal's action, as the kernel has it ---- */

struct kernel_action {
    void (*handler)(int number, siginfo_t *info, void *context);
    unsigned long flags;
    void (*restorer)(void);
    uint64_t mask;
};

enum { MASK_SIZE = 8, WITH_RESTORER = 0x04000000 };

static long change_action(const struct kernel_action *action, struct kernel_action *old_ret) {
    return loupe_system_call(SYS_rt_sigaction, SIGURG, (long)action, (long)old_ret, MASK_SIZE, 0,
                             0);
}

#if defined(__x86_64__)
/* Where the handler returns to; debuggers know it by these bytes. */
void loupe_stop_return(void);
__asm__(".text\n"
        ".hidden loupe_stop_return\n"
        ".type loupe_stop_return, @function\n"
        "loupe_stop_return:\n"
        "  movq $15, %rax\n"
        "  syscall\n"
        ".size loupe_stop_return, . - loupe_stop_return\n");
#endif

/* ---- What two threads tell each other ---- */

/* The number of the stop, and how far it is. */
enum phase { IDLE, ASKED, COMING, HERE, PHASE = 3 };

static _Atomic(uint32_t) word;
static struct loupe_frame held_frame; /* written while COMING */
static struct kernel_action old_action;
static uint64_t last_stopped; /* the thread that was asked before */
static uint64_t patience;     /* microseconds, for threads that the kernel is busy with */
static _Atomic(int) owner;    /* the process in which a series is under way */

static void wait_while(uint32_t value, uint64_t milliseconds) {
    struct {
        long seconds, nanoseconds;
    } limit = {(long)(milliseconds / 1000), (long)(milliseconds % 1000) * 1000000};
    loupe_system_call(SYS_futex, (long)&word, FUTEX_WAIT_PRIVATE, value, (long)&limit, 0, 0);
}

static void wake(void) {
    loupe_system_call(SYS_futex, (long)&word, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
}

/* Waits until the word is another one. False: it is still the same after the time limit. */
static bool wait_for_change(uint32_t value, uint64_t milliseconds) {
    uint64_t end = loupe_kernel_microseconds() + milliseconds * 1000;
    while (atomic_load(&word) == value) {
        uint64_t now = loupe_kernel_microseconds();
        if (now >= end)
            return false;
        wait_while(value, (end - now) / 1000 + 1);
    }
    return true;
}

static bool change(uint32_t from, uint32_t to) {
    return atomic_compare_exchange_strong(&word, &from, to);
}

/* ---- In the thread that is stopped ---- */

#if defined(__x86_64__)
/* A call with a time limit in a register that was made again; each thread has its own place, until
 * another one of the same place takes it. */
struct repeated_call {
    uint64_t thread, sp, pc, at; /* at: microseconds */
};

static struct repeated_call repeated_calls[64];

/* Who is held again and again would wait forever. Other calls have their time limit in memory,
 * where the kernel shortens it. */
static void shorten_time_limit(greg_t *registers, uint32_t number) {
    enum { PLACES = sizeof(repeated_calls) / sizeof(repeated_calls[0]) };
    int limit_at = number == SYS_poll                                      ? REG_RDX
                   : number == SYS_epoll_wait || number == SYS_epoll_pwait ? REG_R10
                                                                           : -1;
    if (limit_at < 0 || (int32_t)registers[limit_at] <= 0)
        return;
    struct repeated_call now = {.thread = (uint64_t)loupe_system_thread(),
                                .sp = (uint64_t)registers[REG_RSP],
                                .pc = (uint64_t)registers[REG_RIP],
                                .at = loupe_kernel_microseconds()};
    struct repeated_call *before = &repeated_calls[now.thread % PLACES];
    if (before->thread == now.thread && before->sp == now.sp && before->pc == now.pc) {
        uint64_t passed = (now.at - before->at) / 1000;
        now.at = before->at + passed * 1000;
        int32_t limit = (int32_t)registers[limit_at];
        registers[limit_at] = passed < (uint64_t)limit ? limit - (int32_t)passed : 0;
    }
    *before = now;
}
#endif

/*
 * Some system calls end with EINTR when a signal was handled, though all signal handlers ask for
 * the contrary: who sleeps or waits for events would wake up. Where the code just before shows
 * which call it was, it is made once more with the arguments that it had. No other signal gets
 * lost: those that came are handled first, since they were blocked here.
 */
static void repeat_system_call(ucontext_t *context) {
#if defined(__x86_64__)
    enum { EINTR_RESULT = -4, MOVE_TO_AX = 0xb8, CODE_SIZE = 7, CALL_SIZE = 2 };
    greg_t *registers = context->uc_mcontext.gregs;
    loupe_addr code = (uint64_t)registers[REG_RIP] - CODE_SIZE;
    if (registers[REG_RAX] != EINTR_RESULT)
        return;
    uint8_t found[CODE_SIZE];
    if (loupe_regions_copy(code, found, sizeof(found)) || found[0] != MOVE_TO_AX ||
        found[5] != 0x0f || found[6] != 0x05)
        return;
    uint32_t number;
    memcpy(&number, found + 1, sizeof(number));
    shorten_time_limit(registers, number);
    registers[REG_RAX] = number;
    registers[REG_RIP] -= CALL_SIZE;
#else
    (void)context;
#endif
}

static void hold(uint32_t asked, ucontext_t *context) {
    uint32_t here = asked - ASKED + HERE;
    if (!change(asked, asked - ASKED + COMING))
        return;
    loupe_frame_of_context(context, &held_frame);
    atomic_store(&word, here);
    wake();
    if (!wait_for_change(here, HELD_AT_MOST))
        change(here, here - HERE + IDLE);
    repeat_system_call(context);
}

/* A signal of ours has the number of the stop, and the address of the word, by which two libraries
 * that hold threads, each with this code, tell theirs apart. */
static bool is_ours(const siginfo_t *info) {
    return info->si_code == SI_QUEUE && info->si_pid == loupe_kernel_process() &&
           info->si_uid == (uint32_t)(uintptr_t)&word &&
           (uint64_t)(uintptr_t)info->si_value.sival_ptr >> 32 == (uint64_t)(uintptr_t)&word >> 32;
}

static void on_signal(int number, siginfo_t *info, void *context) {
    uintptr_t value = (uintptr_t)info->si_value.sival_ptr;
    if (is_ours(info))
        hold((uint32_t)value, context);
    else if ((uintptr_t)old_action.handler > (uintptr_t)SIG_IGN)
        old_action.handler(number, info, context);
}

/* ---- In the thread that stops it ---- */

bool loupe_stops_begin(void) {
    int process = loupe_kernel_process(), other = 0;
    if (!atomic_compare_exchange_strong(&owner, &other, process) &&
        (other == process || !atomic_compare_exchange_strong(&owner, &other, process)))
        return false;
    struct kernel_action action = {
        .handler = on_signal, .flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK, .mask = UINT64_MAX};
#if defined(__x86_64__)
    action.flags |= WITH_RESTORER;
    action.restorer = loupe_stop_return;
#endif
    struct kernel_action before;
    if (change_action(&action, &before) != 0) {
        atomic_store(&owner, 0);
        return false;
    }
    /* It is ours already where another one was put in its place meanwhile, and put that back. */
    if (before.handler != on_signal)
        old_action = before;
    patience = LEAVES_WITHIN * 1000;
    return true;
}

/* A handler that the program put in the place of ours since stays. */
void loupe_stops_end(void) {
    struct kernel_action now;
    if (change_action(NULL, &now) == 0 && now.handler == on_signal)
        change_action(&old_action, NULL);
    atomic_store(&owner, 0);
}

/* As the kernel takes it: 128 bytes whatever the system's header says. */
static long send(uint64_t id, uint32_t value) {
    siginfo_t info;
    memset(&info, 0, sizeof(info));
    info.si_signo = SIGURG;
    info.si_code = SI_QUEUE;
    info.si_pid = loupe_kernel_process();
    info.si_uid = (uint32_t)(uintptr_t)&word;
    info.si_value.sival_ptr =
        (void *)(((uintptr_t)&word & ~(uintptr_t)UINT32_MAX) | (uintptr_t)value);
    return loupe_system_call(SYS_rt_tgsigqueueinfo, loupe_kernel_process(), (long)id, SIGURG,
                             (long)&info, 0, 0);
}

/* Whether the thread answers. One that the kernel is busy with does so when that is over, as it
 * comes: others have no time for it then. */
static bool wait_for_answer(const struct loupe_task *task, uint32_t asked, bool is_blocked) {
    if (task->state != LOUPE_TASK_IN_KERNEL)
        return wait_for_change(asked, is_blocked ? UNBLOCKS_WITHIN : COMES_WITHIN);
    uint64_t begun = loupe_kernel_microseconds();
    bool has_come = wait_for_change(asked, patience / 1000);
    uint64_t waited = loupe_kernel_microseconds() - begun;
    patience -= waited < patience ? waited : patience;
    return has_come;
}

enum loupe_stop loupe_thread_stop(uint64_t id, struct loupe_frame *ret) {
    struct loupe_task task;
    if (!loupe_task_read(id, &task) || task.state == LOUPE_TASK_DEAD)
        return LOUPE_STOP_GONE;
    if (task.state == LOUPE_TASK_TRACED)
        return LOUPE_STOP_STANDING;
    /* Signals are blocked, too, while it comes back from the stop before this one. */
    bool is_blocked = id != last_stopped && task.blocked >> (SIGURG - 1) & 1;
    last_stopped = id;
    uint32_t asked = ((atomic_load(&word) | PHASE) + 1) + ASKED;
    atomic_store(&word, asked);
    if (send(id, asked) < 0) {
        atomic_store(&word, asked - ASKED + IDLE);
        return LOUPE_STOP_GONE;
    }
    if (!wait_for_answer(&task, asked, is_blocked) && change(asked, asked - ASKED + IDLE))
        return LOUPE_STOP_REFUSED;
    if (!wait_for_change(asked - ASKED + COMING, COMES_WITHIN))
        return LOUPE_STOP_REFUSED; /* the thread was taken off the processor: it goes on by itself
                                    */
    *ret = held_frame;
    return LOUPE_STOP_HELD;
}

bool loupe_thread_let_go(void) {
    uint32_t here = atomic_load(&word);
    bool was_held = (here & PHASE) == HERE && change(here, here - HERE + IDLE);
    wake();
    return was_held;
}

bool loupe_thread_waiting_at(uint64_t id, struct loupe_frame *ret, uint64_t *wait_ret) {
    const struct loupe_frame_machine *machine =
#if defined(__x86_64__)
        loupe_frame_machine_of(LOUPE_ARCH_X86_64);
#elif defined(__aarch64__)
        loupe_frame_machine_of(LOUPE_ARCH_ARM64);
#else
        NULL;
#endif
    uint64_t sp, pc;
    struct loupe_task task;
    if (!machine || !loupe_task_read(id, &task) || !loupe_task_waiting_at(id, &sp, &pc))
        return false;
    *wait_ret = task.waits;
    ret->known = 0;
    ret->is_interrupted = true;
    loupe_frame_set(ret, machine->sp, sp);
    loupe_frame_set(ret, machine->pc, pc);
    return true;
}
