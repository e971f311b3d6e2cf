/* The calls of Mach, with the types that they take. */
#pragma once
#include <mach/mach_types.h>
#ifdef __cplusplus
extern "C" {
#endif
extern mach_port_t mach_task_self_;
#define mach_task_self() mach_task_self_
extern vm_size_t vm_page_size;

kern_return_t mach_port_deallocate(mach_port_t, mach_port_name_t);
mach_port_t mach_thread_self(void);
kern_return_t task_info(mach_port_t, task_flavor_t, task_info_t, mach_msg_type_number_t *);
kern_return_t task_threads(mach_port_t, thread_act_array_t *, mach_msg_type_number_t *);
kern_return_t thread_get_state(thread_act_t, thread_state_flavor_t, thread_state_t,
                               mach_msg_type_number_t *);
kern_return_t thread_info(thread_act_t, thread_flavor_t, thread_info_t, mach_msg_type_number_t *);
kern_return_t thread_resume(thread_act_t);
kern_return_t thread_suspend(thread_act_t);
kern_return_t vm_allocate(vm_map_t, vm_address_t *, vm_size_t, int);
kern_return_t vm_deallocate(vm_map_t, vm_address_t, vm_size_t);
kern_return_t vm_protect(vm_map_t, vm_address_t, vm_size_t, boolean_t, vm_prot_t);
kern_return_t vm_read_overwrite(vm_map_t, vm_address_t, vm_size_t, vm_address_t, vm_size_t *);
kern_return_t vm_region_recurse_64(vm_map_t, vm_address_t *, vm_size_t *, natural_t *,
                                   vm_region_recurse_info_t, mach_msg_type_number_t *);
#ifdef __cplusplus
}
#endif
