/* Threads of this process, by their ports. */
#include "threads/listing.h"

#include "base/text.h"

#include <mach/mach.h>
#include <pthread.h>

uint64_t loupe_own_thread_id(void) {
    uint64_t id = 0;
    pthread_threadid_np(NULL, &id);
    return id;
}

struct about {
    uint64_t id, handle; /* the handle is a place in what a pthread_t points to */
};

/* Calls for each thread's port until visit returns something else than LOUPE_OK; all
 * ports and the list are given back. */
static enum loupe_status visit_ports(enum loupe_status (*visit)(void *ctx, uint32_t number,
                                                                thread_act_t port,
                                                                const struct about *about),
                                     void *ctx) {
    thread_act_array_t ports;
    mach_msg_type_number_t count;
    enum loupe_status status = LOUPE_OK;
    if (task_threads(mach_task_self(), &ports, &count) != KERN_SUCCESS)
        return LOUPE_EFAULT;
    for (mach_msg_type_number_t i = 0; i < count; i++) {
        thread_identifier_info_data_t info;
        mach_msg_type_number_t size = THREAD_IDENTIFIER_INFO_COUNT;
        if (!status && thread_info(ports[i], THREAD_IDENTIFIER_INFO, (thread_info_t)&info, &size) ==
                           KERN_SUCCESS)
            status = visit(ctx, i, ports[i],
                           &(struct about){.id = info.thread_id, .handle = info.thread_handle});
        mach_port_deallocate(mach_task_self(), ports[i]);
    }
    vm_deallocate(mach_task_self(), (vm_address_t)ports, count * sizeof(*ports));
    return status;
}

struct search {
    uint64_t id;
    thread_extended_info_data_t info;
    bool found;
};

static enum loupe_status look_at(void *ctx, uint32_t number, thread_act_t port,
                                 const struct about *about) {
    struct search *search = ctx;
    mach_msg_type_number_t size = THREAD_EXTENDED_INFO_COUNT;
    (void)number;
    if (about->id == search->id)
        search->found = thread_info(port, THREAD_EXTENDED_INFO, (thread_info_t)&search->info,
                                    &size) == KERN_SUCCESS;
    return LOUPE_OK;
}

void loupe_thread_name(uint64_t id, char *dst, size_t cap) {
    struct search search = {.id = id};
    visit_ports(look_at, &search);
    search.info.pth_name[sizeof(search.info.pth_name) - 1] = '\0';
    loupe_format(dst, cap, "%s", search.found ? search.info.pth_name : "");
}

bool loupe_thread_activity(uint64_t id, struct loupe_thread_activity *ret) {
    struct search search = {.id = id};
    visit_ports(look_at, &search);
    if (search.found)
        *ret = (struct loupe_thread_activity){
            .run_time = search.info.pth_user_time + search.info.pth_system_time,
            .is_runnable = search.info.pth_run_state == TH_STATE_RUNNING};
    return search.found;
}

struct thread_list {
    loupe_thread_visit visit;
    void *visitor;
};

static enum loupe_status tell(void *ctx, uint32_t number, thread_act_t port,
                              const struct about *about) {
    const struct thread_list *list = ctx;
    (void)port;
    return list->visit(list->visitor, number, &(struct loupe_process_thread){.id = about->id});
}

enum loupe_status loupe_threads_list(loupe_thread_visit visit, void *visitor) {
    struct thread_list list = {.visit = visit, .visitor = visitor};
    return visit_ports(tell, &list);
}

/* ---- By pthread_t, without the lock of pthread_threadid_np() ---- */

struct handles {
    uint64_t own_id, own_handle; /* what to look for first */
    uint64_t wanted;             /* then: a handle */
    uint64_t found;
};

static enum loupe_status note_own(void *ctx, uint32_t number, thread_act_t port,
                                  const struct about *about) {
    struct handles *handles = ctx;
    (void)number;
    (void)port;
    if (about->id == handles->own_id)
        handles->own_handle = about->handle;
    return LOUPE_OK;
}

static enum loupe_status note_wanted(void *ctx, uint32_t number, thread_act_t port,
                                     const struct about *about) {
    struct handles *handles = ctx;
    (void)number;
    (void)port;
    if (about->handle == handles->wanted)
        handles->found = about->id;
    return LOUPE_OK;
}

/* The handle is as far behind a pthread_t as behind the own one. */
uint64_t loupe_thread_id_of(const void *pthread) {
    struct handles handles = {.own_id = loupe_own_thread_id()};
    visit_ports(note_own, &handles);
    if (!handles.own_handle)
        return 0;
    handles.wanted = handles.own_handle - (uintptr_t)pthread_self() + (uintptr_t)pthread;
    visit_ports(note_wanted, &handles);
    return handles.found;
}
