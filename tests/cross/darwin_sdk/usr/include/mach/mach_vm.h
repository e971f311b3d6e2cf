#pragma once
#include <mach/mach.h>
kern_return_t mach_vm_allocate(mach_port_t, mach_vm_address_t *, mach_vm_size_t, int);
kern_return_t mach_vm_deallocate(mach_port_t, mach_vm_address_t, mach_vm_size_t);
kern_return_t mach_vm_protect(mach_port_t, mach_vm_address_t, mach_vm_size_t, boolean_t, int);
kern_return_t mach_vm_read_overwrite(mach_port_t, mach_vm_address_t, mach_vm_size_t,
                                     mach_vm_address_t, mach_vm_size_t *);
kern_return_t mach_vm_region_recurse(mach_port_t, mach_vm_address_t *, mach_vm_size_t *,
                                     natural_t *, vm_region_recurse_info_t,
                                     mach_msg_type_number_t *);
