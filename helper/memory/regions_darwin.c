#include "memory/regions.h"

#include <mach/mach.h>
#include <mach/mach_vm.h>

enum loupe_status loupe_regions_list(struct loupe_regions *regions) {
    mach_vm_address_t start = 0;
    natural_t depth = 0;
    for (;;) {
        mach_vm_size_t size = 0;
        vm_region_submap_info_data_64_t info;
        mach_msg_type_number_t count = VM_REGION_SUBMAP_INFO_COUNT_64;
        if (mach_vm_region_recurse(mach_task_self(), &start, &size, &depth,
                                   (vm_region_recurse_info_t)&info, &count))
            return LOUPE_OK;
        if (info.is_submap) {
            depth++;
            continue;
        }
        if (info.protection & VM_PROT_READ) {
            enum loupe_status status =
                loupe_regions_add(regions, start, start + size, !info.external_pager);
            if (status)
                return status;
        }
        start += size;
    }
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
