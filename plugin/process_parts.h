/*
 * process_parts.h - what LLDB knows of a process beside its bytes (core/base/target/process.h): its
 * memory, modules and threads.
 */
#ifndef LOUPE_PLUGIN_PROCESS_PARTS_H
#define LOUPE_PLUGIN_PROCESS_PARTS_H

#include <lldb/API/LLDB.h>

extern "C" {
#include "base/target/process.h"
}

namespace loupe {

class ProcessParts {
  public:
    explicit ProcessParts(lldb::SBProcess process)
        : process_(process), target_(process.GetTarget()) {}

    loupe_status Regions(loupe_region_visit visit, void *visitor);
    loupe_status Images(loupe_image_visit visit, void *visitor);
    loupe_status Sections(uint32_t image, loupe_section_part_visit visit, void *visitor);
    loupe_status Threads(loupe_thread_visit visit, void *visitor);
    bool Register(uint32_t thread, const char *name, uint64_t *ret);
    loupe_addr FramesEnd(uint32_t thread);

  private:
    loupe_status Section(lldb::SBSection section, loupe_section_part_visit visit, void *visitor);

    lldb::SBProcess process_;
    lldb::SBTarget target_;
};

} // namespace loupe

#endif
