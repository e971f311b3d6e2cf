#include "kernel.h"

#include "../loader/image.h"
#include "map.h"
#include "ports.h"
#include "threads.h"
#include "vm.h"

#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct box_kernel_entry box_kernel_enter_unlocked(void) {
    struct box_kernel_entry entry;
    sigset_t stops;
    sigemptyset(&stops);
    sigaddset(&stops, BOX_STOP_SIGNAL);
    pthread_sigmask(SIG_BLOCK, &stops, &entry.before);
    return entry;
}

void box_kernel_leave_unlocked(struct box_kernel_entry entry) {
    pthread_sigmask(SIG_SETMASK, &entry.before, NULL);
}

struct box_kernel_entry box_kernel_enter(void) {
    struct box_kernel_entry entry = box_kernel_enter_unlocked();
    pthread_mutex_lock(&lock);
    return entry;
}

void box_kernel_leave(struct box_kernel_entry entry) {
    pthread_mutex_unlock(&lock);
    box_kernel_leave_unlocked(entry);
}

/* ---- Calls that fail ---- */

static const char *failing;
static unsigned calls_before;
static int has_failed, fails_always;

void host_box_let_fail(const char *call, unsigned after) {
    failing = call;
    calls_before = after;
    has_failed = fails_always = 0;
}

void host_box_let_always_fail(const char *call) {
    host_box_let_fail(call, 0);
    fails_always = 1;
}

int host_box_has_failed(void) {
    return has_failed;
}

int box_kernel_is_to_fail(const char *call) {
    if (!failing || strcmp(failing, call) != 0 || (!fails_always && calls_before-- > 0))
        return 0;
    if (!fails_always)
        failing = NULL;
    has_failed = 1;
    return 1;
}

/* ---- The beginning ---- */

static void lock_for_child(void) {
    pthread_mutex_lock(&lock);
}

static void unlock_after_fork(void) {
    pthread_mutex_unlock(&lock);
}

static void begin_child(void) {
    pthread_mutex_unlock(&lock);
    box_threads_begin_child();
}

void box_kernel_begin(void) {
    box_ports_begin();
    box_threads_begin();
    pthread_atfork(lock_for_child, unlock_after_fork, begin_child);
}

void *box_kernel_pages(uint64_t size, uint32_t tag) {
    uint64_t address = 0;
    if (host_mach_vm_allocate(box_task_port, &address, size, (int)(tag << 24 | BOX_ANYWHERE)))
        box_fail("no memory for a double");
    return (void *)(uintptr_t)address;
}
