#pragma once
#include <stdint.h>
typedef int kern_return_t;
typedef unsigned natural_t;
typedef int integer_t;
typedef unsigned mach_port_t;
typedef unsigned mach_msg_type_number_t;
typedef unsigned task_flavor_t;
typedef integer_t *task_info_t;
typedef int *vm_region_recurse_info_t;
typedef uint64_t mach_vm_address_t;
typedef uint64_t mach_vm_size_t;
typedef uintptr_t vm_size_t;
typedef int boolean_t;
#define KERN_SUCCESS      0
#define VM_PROT_NONE      0
#define VM_PROT_READ      1
#define VM_PROT_WRITE     2
#define VM_MEMORY_STACK   30
#define VM_FLAGS_FIXED    0x0000
#define VM_FLAGS_ANYWHERE 0x0001

extern mach_port_t mach_task_self_;
#define mach_task_self() mach_task_self_
extern vm_size_t vm_page_size;

#pragma pack(push, 4)
typedef struct vm_region_submap_info_64 {
    int protection;
    int max_protection;
    unsigned inheritance;
    uint64_t offset;
    unsigned user_tag;
    unsigned pages_resident;
    unsigned pages_shared_now_private;
    unsigned pages_swapped_out;
    unsigned pages_dirtied;
    unsigned ref_count;
    unsigned short shadow_depth;
    unsigned char external_pager;
    unsigned char share_mode;
    int is_submap;
    int behavior;
    unsigned object_id;
    unsigned short user_wired_count;
    unsigned short flags;
    unsigned pages_reusable;
    uint64_t object_id_full;
} vm_region_submap_info_data_64_t;

struct task_dyld_info {
    mach_vm_address_t all_image_info_addr;
    mach_vm_size_t all_image_info_size;
    integer_t all_image_info_format;
};
#pragma pack(pop)

#define VM_REGION_SUBMAP_INFO_COUNT_64                                                             \
    ((mach_msg_type_number_t)(sizeof(vm_region_submap_info_data_64_t) / sizeof(natural_t)))
#define TASK_DYLD_INFO 17
#define TASK_DYLD_INFO_COUNT                                                                       \
    ((mach_msg_type_number_t)(sizeof(struct task_dyld_info) / sizeof(natural_t)))

kern_return_t task_info(mach_port_t, task_flavor_t, task_info_t, mach_msg_type_number_t *);
