/*
 * Types and numbers of Mach. What other headers include: mach.h has the functions. Of <stdint.h>
 * alone, since tests compile this beside another system's headers.
 */
#pragma once
#include <sys/cdefs.h>
#include <TargetConditionals.h>
#include <stdint.h>
typedef int kern_return_t;
typedef unsigned natural_t;
typedef int integer_t;
typedef unsigned mach_port_t, mach_port_name_t, task_t, vm_map_t;
typedef unsigned mach_msg_type_number_t;
typedef unsigned task_flavor_t;
typedef integer_t *task_info_t;
typedef int *vm_region_recurse_info_t;
typedef uint64_t mach_vm_address_t;
typedef uint64_t mach_vm_size_t;
typedef uintptr_t vm_address_t, vm_size_t;
typedef int boolean_t;
typedef int vm_prot_t;
#define KERN_SUCCESS                    0
#define KERN_INVALID_ADDRESS            1
#define KERN_INVALID_ARGUMENT           4
#define VM_PROT_NONE                    ((vm_prot_t)0)
#define VM_PROT_READ                    ((vm_prot_t)1)
#define VM_PROT_WRITE                   ((vm_prot_t)2)
#define VM_PROT_EXECUTE                 ((vm_prot_t)4)
#define VM_MEMORY_MALLOC                1
#define VM_MEMORY_MALLOC_SMALL          2
#define VM_MEMORY_MALLOC_LARGE          3
#define VM_MEMORY_MALLOC_HUGE           4
#define VM_MEMORY_REALLOC               6
#define VM_MEMORY_MALLOC_TINY           7
#define VM_MEMORY_MALLOC_LARGE_REUSABLE 8
#define VM_MEMORY_MALLOC_LARGE_REUSED   9
#define VM_MEMORY_MALLOC_NANO           11
#define VM_MEMORY_MALLOC_MEDIUM         12
#define VM_MEMORY_STACK                 30
#define VM_FLAGS_FIXED                  0x0000
#define VM_FLAGS_ANYWHERE               0x0001

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

typedef struct vm_region_submap_short_info_64 {
    int protection;
    int max_protection;
    unsigned inheritance;
    uint64_t offset;
    unsigned user_tag;
    unsigned ref_count;
    unsigned short shadow_depth;
    unsigned char external_pager;
    unsigned char share_mode;
    int is_submap;
    int behavior;
    unsigned object_id;
    unsigned short user_wired_count;
} vm_region_submap_short_info_data_64_t;

struct task_dyld_info {
    mach_vm_address_t all_image_info_addr;
    mach_vm_size_t all_image_info_size;
    integer_t all_image_info_format;
};
#pragma pack(pop)

#define VM_REGION_SUBMAP_INFO_COUNT_64                                                             \
    ((mach_msg_type_number_t)(sizeof(vm_region_submap_info_data_64_t) / sizeof(natural_t)))
#define VM_REGION_SUBMAP_SHORT_INFO_COUNT_64                                                       \
    ((mach_msg_type_number_t)(sizeof(vm_region_submap_short_info_data_64_t) / sizeof(natural_t)))
#define TASK_DYLD_INFO 17
#define TASK_DYLD_INFO_COUNT                                                                       \
    ((mach_msg_type_number_t)(sizeof(struct task_dyld_info) / sizeof(natural_t)))

typedef mach_port_t thread_act_t, *thread_act_array_t;
typedef natural_t thread_flavor_t, *thread_state_t;
typedef int thread_state_flavor_t;
typedef integer_t *thread_info_t;

typedef struct thread_identifier_info {
    uint64_t thread_id;
    uint64_t thread_handle;
    uint64_t dispatch_qaddr;
} thread_identifier_info_data_t;

typedef struct thread_extended_info {
    uint64_t pth_user_time;
    uint64_t pth_system_time;
    int32_t pth_cpu_usage;
    int32_t pth_policy;
    int32_t pth_run_state;
    int32_t pth_flags;
    int32_t pth_sleep_time;
    int32_t pth_curpri;
    int32_t pth_priority;
    int32_t pth_maxpriority;
    char pth_name[64];
} thread_extended_info_data_t;

#define THREAD_IDENTIFIER_INFO 4
#define THREAD_IDENTIFIER_INFO_COUNT                                                               \
    ((mach_msg_type_number_t)(sizeof(thread_identifier_info_data_t) / sizeof(natural_t)))
#define TH_STATE_RUNNING     1
#define TH_STATE_WAITING     3
#define THREAD_EXTENDED_INFO 5
#define THREAD_EXTENDED_INFO_COUNT                                                                 \
    ((mach_msg_type_number_t)(sizeof(thread_extended_info_data_t) / sizeof(natural_t)))

/* Each for its own processor. */
#if defined(__x86_64__)
typedef struct {
    uint64_t __rax, __rbx, __rcx, __rdx, __rdi, __rsi, __rbp, __rsp, __r8, __r9, __r10, __r11,
        __r12, __r13, __r14, __r15, __rip, __rflags, __cs, __fs, __gs;
} x86_thread_state64_t;
#define x86_THREAD_STATE64 4
#define x86_THREAD_STATE64_COUNT                                                                   \
    ((mach_msg_type_number_t)(sizeof(x86_thread_state64_t) / sizeof(natural_t)))
#elif defined(__aarch64__)
/* Code that was signed has no names of its own for what is signed. */
typedef struct {
    uint64_t __x[29];
#if defined(__arm64e__)
    void *__opaque_fp, *__opaque_lr, *__opaque_sp, *__opaque_pc;
    uint32_t __cpsr, __opaque_flags;
#else
    uint64_t __fp, __lr, __sp, __pc;
    uint32_t __cpsr, __pad;
#endif
} arm_thread_state64_t;
#define ARM_THREAD_STATE64 6
#define ARM_THREAD_STATE64_COUNT                                                                   \
    ((mach_msg_type_number_t)(sizeof(arm_thread_state64_t) / sizeof(natural_t)))
#if defined(__arm64e__)
#if __DARWIN_C_LEVEL >= __DARWIN_C_FULL
#define arm_thread_state64_get_fp(state) ((uintptr_t)(state).__opaque_fp)
#define arm_thread_state64_get_lr(state) ((uintptr_t)(state).__opaque_lr)
#define arm_thread_state64_get_sp(state) ((uintptr_t)(state).__opaque_sp)
#define arm_thread_state64_get_pc(state) ((uintptr_t)(state).__opaque_pc)
#endif
#else
#if __DARWIN_C_LEVEL >= __DARWIN_C_FULL
#define arm_thread_state64_get_fp(state) ((uintptr_t)(state).__fp)
#define arm_thread_state64_get_lr(state) ((uintptr_t)(state).__lr)
#define arm_thread_state64_get_sp(state) ((uintptr_t)(state).__sp)
#define arm_thread_state64_get_pc(state) ((uintptr_t)(state).__pc)
#endif
#endif
#endif
