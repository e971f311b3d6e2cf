/* As Apple has it, this exists on macOS alone. */
#pragma once
#include <TargetConditionals.h>
#if TARGET_OS_IPHONE
#error <mach/mach_vm.h> is for macOS: call vm_allocate() and the like
#else
#include <mach/mach_types.h>
#ifdef __cplusplus
extern "C" {
#endif
kern_return_t mach_vm_allocate(vm_map_t, mach_vm_address_t *, mach_vm_size_t, int);
kern_return_t mach_vm_deallocate(vm_map_t, mach_vm_address_t, mach_vm_size_t);
kern_return_t mach_vm_protect(vm_map_t, mach_vm_address_t, mach_vm_size_t, boolean_t, vm_prot_t);
kern_return_t mach_vm_read_overwrite(vm_map_t, mach_vm_address_t, mach_vm_size_t, mach_vm_address_t,
                                     mach_vm_size_t *);
kern_return_t mach_vm_region_recurse(vm_map_t, mach_vm_address_t *, mach_vm_size_t *, natural_t *,
                                     vm_region_recurse_info_t, mach_msg_type_number_t *);
#ifdef __cplusplus
}
#endif
#endif
