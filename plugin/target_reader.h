/*
 * target_reader.h - the core's reader (core/base/target/memory.h) over LLDB's SB API: live
 * processes at a stop and core files. Runs nothing in the debuggee and changes no setting of the
 * debugger.
 */
#ifndef LOUPE_PLUGIN_TARGET_READER_H
#define LOUPE_PLUGIN_TARGET_READER_H

#include "newer_api.h"
#include "process_parts.h"
#include "region_map.h"

#include <lldb/API/LLDB.h>

#include <chrono>
#include <vector>

extern "C" {
#include "base/target/memory.h"
}

namespace loupe {

/* One question asked of one process. The regions, which follow that process, outlive the reader. */
class TargetReader {
  public:
    TargetReader(lldb::SBDebugger debugger, lldb::SBProcess process, RegionMap &regions,
                 const NewerApi &api);

    struct loupe_machine Machine();
    bool IsCoreFile() const {
        return is_core_;
    }
    /* For loupe_memory.page_reads: a live process pays by the byte, a core file by the call. */
    uint32_t PageReads() const {
        return is_core_ ? 0 : kPageReads;
    }
    static const struct loupe_reader_ops *Ops();
    ProcessParts &Parts() {
        return parts_;
    }
    /* As unread() of struct loupe_process_ops. */
    loupe_status VisitUnread(loupe_unread_visit visit, void *visitor);

  private:
    static constexpr uint32_t kPageReads = 12;
    /* What a read-only part of a module's file holds, where it is loaded. */
    struct FileRange {
        lldb::addr_t start_page, end_page; /* the pages that it is on: [start_page, end_page) */
        lldb::addr_t start;
        lldb::SBSection section;
    };

    void ListFileRanges();
    FileRange *FindFileRange(loupe_addr addr);
    bool ReadFromFile(loupe_addr addr, void *dst, size_t len);
    bool FindRegion(loupe_addr addr, loupe_addr *start, loupe_addr *end);
    loupe_status Read(loupe_addr addr, void *dst, size_t len);
    loupe_status ReadPresent(loupe_addr addr, void *dst, size_t len);
    loupe_addr Zeroes(loupe_addr addr);
    lldb::addr_t FirstLoaded(const std::vector<lldb::SBAddress> &symbols);
    loupe_status FindSymbol(const char *name, loupe_addr *ret);
    loupe_status NameAddress(loupe_addr addr, char *dst, size_t cap, uint64_t *offset);
    bool LineOfAddress(loupe_addr addr, char *path, size_t cap, uint32_t *line);
    loupe_addr Strip(loupe_addr addr);
    bool Interrupted();
    uint64_t Microseconds() const;

    lldb::SBDebugger debugger_;
    lldb::SBProcess process_;
    lldb::SBTarget target_;
    ProcessParts parts_;
    RegionMap &regions_;
    const NewerApi &api_;
    loupe_arch arch_;
    const bool is_apple_;
    const bool is_core_;
    bool file_ranges_listed_ = false;
    std::vector<FileRange> file_ranges_; /* of core files only */
    std::chrono::steady_clock::time_point started_;
    unsigned checks_ = 0; /* for interruption */
    Progress progress_;
};

} // namespace loupe

#endif
