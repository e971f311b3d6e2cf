#include "memory/regions.h"

#include <mach/mach.h>
#include <mach/mach_vm.h>

/* The mapping at *start or behind it, which moves to where that starts. False: there is none. */
static bool next_mapping(mach_vm_address_t *start, mach_vm_size_t *size,
                         vm_region_submap_info_data_64_t *info) {
    natural_t depth = 0;
    for (;;) {
        mach_msg_type_number_t count = VM_REGION_SUBMAP_INFO_COUNT_64;
        if (mach_vm_region_recurse(mach_task_self(), start, size, &depth,
                                   (vm_region_recurse_info_t)info, &count))
            return false;
        if (!info->is_submap)
            return true;
        depth++;
    }
}

enum loupe_status loupe_regions_list(struct loupe_regions *regions) {
    mach_vm_address_t start = 0;
    mach_vm_size_t size = 0;
    vm_region_submap_info_data_64_t info;
    enum loupe_status status = LOUPE_OK;
    for (; !status && next_mapping(&start, &size, &info); start += size)
        if (info.protection & VM_PROT_READ)
            status = loupe_regions_add(regions, start, start + size, !info.external_pager);
    return status;
}

enum loupe_status loupe_regions_visit(const struct loupe_regions *regions, loupe_region_visit visit,
                                      void *visitor) {
    mach_vm_address_t start = 0;
    mach_vm_size_t size = 0;
    vm_region_submap_info_data_64_t info;
    enum loupe_status status = LOUPE_OK;
    (void)regions;
    for (; !status && next_mapping(&start, &size, &info); start += size) {
        struct loupe_process_region region = {
            .start = start,
            .end = start + size,
            .readable = info.protection & VM_PROT_READ,
            .writable = info.protection & VM_PROT_WRITE,
            .is_stack = info.user_tag == VM_MEMORY_STACK,
        };
        status = loupe_regions_visit_one(&region, visit, visitor);
    }
    return status;
}

void loupe_regions_unlist(struct loupe_regions *regions) {
    (void)regions;
}

/* Anonymous memory that may be read can be read; a file may end before its mapping. */
bool loupe_regions_check(const struct loupe_region *region, loupe_addr start, loupe_addr end) {
    uint8_t byte;
    if (region->anonymous)
        return true;
    for (; start < end; start += vm_page_size)
        if (loupe_regions_copy(start, &byte, sizeof(byte)))
            return false;
    return true;
}

enum loupe_status loupe_regions_copy(loupe_addr addr, void *dst, size_t len) {
    mach_vm_size_t copied = 0;
    if (mach_vm_read_overwrite(mach_task_self(), addr, len, (mach_vm_address_t)(uintptr_t)dst,
                               &copied) ||
        copied != len)
        return LOUPE_EFAULT;
    return LOUPE_OK;
}
