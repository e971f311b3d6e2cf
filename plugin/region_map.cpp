#include "region_map.h"

#include <algorithm>

namespace loupe {

void RegionMap::Follow(lldb::SBProcess process) {
    uint32_t process_id = process.GetUniqueID();
    uint32_t stop_id = process.GetStopID(true);
    if (process_id != process_id_ || stop_id != stop_id_)
        regions_.clear();
    process_ = process;
    process_id_ = process_id;
    stop_id_ = stop_id;
}

const RegionMap::Region *RegionMap::Cover(lldb::addr_t start, lldb::addr_t end, lldb::addr_t addr) {
    const Region *region = Find(addr);
    while (region && region->readable && region->start > start)
        region = Find(region->start - 1);
    region = Find(addr);
    while (region && region->readable && region->end < end)
        region = Find(region->end);
    return Find(addr);
}

const RegionMap::Region *RegionMap::Find(lldb::addr_t addr) {
    auto next = std::upper_bound(regions_.begin(), regions_.end(), addr,
                                 [](lldb::addr_t a, const Region &r) { return a < r.start; });
    if (next != regions_.begin() && addr < (next - 1)->end)
        return &*(next - 1);
    lldb::SBMemoryRegionInfo info;
    if (process_.GetMemoryRegionInfo(addr, info).Fail())
        return nullptr;
    Region region = {info.GetRegionBase(), info.GetRegionEnd(), info.IsReadable()};
    bool around = addr >= region.start && addr < region.end;
    return around ? Insert(region, static_cast<size_t>(next - regions_.begin())) : nullptr;
}

/* Before regions_[at]. Gaps can overlap: lldb-server begins one at the address it was asked about.
 */
const RegionMap::Region *RegionMap::Insert(Region region, size_t at) {
    if (at > 0)
        region.start = std::max(region.start, regions_[at - 1].end);
    if (at < regions_.size())
        region.end = std::min(region.end, regions_[at].start);
    regions_.insert(regions_.begin() + static_cast<ptrdiff_t>(at), region);
    JoinWithNext(at);
    return &regions_[at > 0 && JoinWithNext(at - 1) ? at - 1 : at];
}

bool RegionMap::JoinWithNext(size_t at) {
    if (at + 1 >= regions_.size() || regions_[at].end != regions_[at + 1].start ||
        regions_[at].readable != regions_[at + 1].readable)
        return false;
    regions_[at].end = regions_[at + 1].end;
    regions_.erase(regions_.begin() + static_cast<ptrdiff_t>(at) + 1);
    return true;
}

} // namespace loupe
