#include "region_map.h"

#include <algorithm>
#ifdef __linux__
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/uio.h>
#include <unistd.h>

extern "C" {
#include "linux/proc_maps.h"
#include "process/proc_file.h"
}
#endif

namespace loupe {

#ifdef __linux__

namespace {

const struct loupe_chunk_ops kChunks = {
    [](void *, size_t size) { return std::malloc(size); },
    [](void *, void *chunk, size_t) { std::free(chunk); },
    nullptr,
    nullptr,
};

/* The number behind a name in /proc/PID/status; 0: there is none. */
unsigned long NumberIn(unsigned long process, const char *name) {
    char path[64], line[256];
    unsigned long number = 0;
    std::snprintf(path, sizeof(path), "/proc/%lu/status", process);
    std::FILE *file = std::fopen(path, "re");
    while (file && !number && std::fgets(line, sizeof(line), file))
        if (std::strncmp(line, name, std::strlen(name)) == 0)
            number = std::strtoul(line + std::strlen(name), nullptr, 10);
    if (file)
        std::fclose(file);
    return number;
}

/* Whether a process of this number is here and is the one that LLDB has: who traces it, LLDB's
 * server, was started by us. Any other may be on another machine. */
bool IsTracedByUs(unsigned long process) {
    constexpr int kMostGenerations = 3;
    unsigned long at = NumberIn(process, "TracerPid:");
    for (int i = 0; at > 1 && i < kMostGenerations; i++) {
        if (at == static_cast<unsigned long>(getpid()))
            return true;
        at = NumberIn(at, "PPid:");
    }
    return false;
}

} // namespace

bool RegionMap::IsHere() {
    lldb::pid_t id = process_.GetProcessID();
    if (looked_for_ != process_id_)
        is_here_ = id <= INT32_MAX && IsTracedByUs(static_cast<unsigned long>(id));
    looked_for_ = process_id_;
    return is_here_;
}

struct loupe_page_map *RegionMap::Pages() {
    if (!pages_asked_ && IsHere())
        pages_ = loupe_page_map_open_lazily(static_cast<int>(process_.GetProcessID()), &kChunks);
    pages_asked_ = true;
    return pages_;
}

void RegionMap::List() {
    char path[64];
    size_t length = 0;
    lldb::addr_t end = 0; /* of the last one */
    struct loupe_proc_mapping mapping;
    std::snprintf(path, sizeof(path), "/proc/%llu/maps",
                  static_cast<unsigned long long>(process_.GetProcessID()));
    char *maps = IsHere() ? loupe_proc_read_whole(path, &length) : nullptr;
    bool ordered = true;
    for (const char *line = maps; line && loupe_proc_maps_next(&line, &mapping);
         end = mapping.end) {
        ordered = mapping.start >= end;
        if (!ordered)
            break;
        if (mapping.start > end)
            Insert({end, mapping.start, false}, regions_.size());
        Insert({mapping.start, mapping.end, mapping.readable}, regions_.size());
        if (mapping.executable)
            code_.push_back({mapping.start, mapping.end, mapping.readable});
    }
    code_listed_ = maps && ordered;
    std::free(maps);
}

bool RegionMap::ReadHere(lldb::addr_t addr, void *dst, size_t len) {
    ListOnce();
    auto next = std::upper_bound(code_.begin(), code_.end(), addr,
                                 [](lldb::addr_t a, const Region &r) { return a < r.end; });
    if (!code_listed_ || (next != code_.end() && next->start < addr + len))
        return false;
    struct iovec to = {dst, len}, from = {reinterpret_cast<void *>(addr), len};
    auto id = static_cast<pid_t>(process_.GetProcessID());
    return process_vm_readv(id, &to, 1, &from, 1, 0) == static_cast<ssize_t>(len);
}

void RegionMap::ForgetPages() {
    loupe_page_map_close(pages_);
    pages_ = nullptr;
    pages_asked_ = false;
    code_.clear();
    code_listed_ = false;
}

bool RegionMap::IsListedHere() const {
    return listed_ && looked_for_ == process_id_ && is_here_;
}

#else

bool RegionMap::IsListedHere() const {
    return false;
}

void RegionMap::ForgetPages() {}

void RegionMap::List() {}

#endif

void RegionMap::Follow(lldb::SBProcess process) {
    uint32_t process_id = process.GetUniqueID();
    uint32_t stop_id = process.GetStopID(true);
    /* LLDB maps memory for an expression that it interprets, and nothing counts that as a stop.
     * From another machine the list is too dear to be fetched for each question. */
    if (process_id != process_id_ || stop_id != stop_id_ || IsListedHere()) {
        regions_.clear();
        listed_ = false;
        ForgetPages();
    }
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

void RegionMap::ListOnce() {
    if (!listed_)
        List();
    listed_ = true;
}

const RegionMap::Region *RegionMap::Find(lldb::addr_t addr) {
    ListOnce();
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
