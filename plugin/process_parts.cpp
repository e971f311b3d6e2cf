#include "process_parts.h"

#include <cstring>
#include <string>

namespace loupe {

namespace {

/* A path of any length. */
std::string PathOf(lldb::SBModule module) {
    lldb::SBFileSpec file = module.GetFileSpec();
    const char *folder = file.GetDirectory(), *name = file.GetFilename();
    std::string path = folder ? folder : "";
    return path + (folder ? "/" : "") + (name ? name : "");
}

} // namespace

loupe_status ProcessParts::Regions(loupe_region_visit visit, void *visitor) {
    lldb::SBMemoryRegionInfoList regions = process_.GetMemoryRegions();
    loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; status == LOUPE_OK && i < regions.GetSize(); i++) {
        lldb::SBMemoryRegionInfo info;
        if (!regions.GetMemoryRegionAtIndex(i, info))
            return LOUPE_EFAULT;
        const char *name = info.GetName();
        struct loupe_process_region region = {info.GetRegionBase(),
                                              info.GetRegionEnd(),
                                              info.IsReadable(),
                                              info.IsWritable(),
                                              name && std::strcmp(name, "[stack]") == 0,
                                              false};
        status = visit(visitor, &region);
    }
    return status;
}

loupe_status ProcessParts::Images(loupe_image_visit visit, void *visitor) {
    loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; status == LOUPE_OK && i < target_.GetNumModules(); i++)
        status = visit(visitor, i, PathOf(target_.GetModuleAtIndex(i)).c_str());
    return status;
}

/* LLDB's sections are a tree; segments are those on top. */
loupe_status ProcessParts::Section(lldb::SBSection section, loupe_section_part_visit visit,
                                   void *visitor) {
    loupe_status status = LOUPE_OK;
    size_t inside = section.GetNumSubSections();
    for (size_t i = 0; status == LOUPE_OK && i < inside; i++)
        status = Section(section.GetSubSectionAtIndex(i), visit, visitor);
    if (inside)
        return status;
    const char *name = section.GetName();
    lldb::addr_t start = section.GetLoadAddress(target_);
    struct loupe_process_section leaf = {
        name ? name : "", start, section.GetByteSize(), start != LLDB_INVALID_ADDRESS,
        (section.GetPermissions() & lldb::ePermissionsWritable) != 0};
    return visit(visitor, &leaf);
}

loupe_status ProcessParts::Sections(uint32_t image, loupe_section_part_visit visit, void *visitor) {
    lldb::SBModule module = target_.GetModuleAtIndex(image);
    loupe_status status = LOUPE_OK;
    for (size_t i = 0; status == LOUPE_OK && i < module.GetNumSections(); i++)
        status = Section(module.GetSectionAtIndex(i), visit, visitor);
    return status;
}

loupe_status ProcessParts::Threads(loupe_thread_visit visit, void *visitor) {
    loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; status == LOUPE_OK && i < process_.GetNumThreads(); i++) {
        struct loupe_process_thread about = {};
        about.id = process_.GetThreadAtIndex(i).GetThreadID();
        status = visit(visitor, i, &about);
    }
    return status;
}

/* Asked for one by one and as plain numbers: with dynamic values LLDB looks for a runtime each
 * time, which takes seconds where it knows none. */
bool ProcessParts::Register(uint32_t thread, const char *name, uint64_t *ret) {
    lldb::SBValue value = process_.GetThreadAtIndex(thread).GetFrameAtIndex(0).FindRegister(name);
    value.SetPreferDynamicValue(lldb::eNoDynamicValues);
    if (!value.IsValid())
        return false;
    *ret = value.GetValueAsUnsigned(0);
    return true;
}

loupe_addr ProcessParts::FramesEnd(uint32_t thread) {
    lldb::SBThread asked = process_.GetThreadAtIndex(thread);
    uint32_t frames = asked.GetNumFrames();
    lldb::addr_t end = frames ? asked.GetFrameAtIndex(frames - 1).GetCFA() : LLDB_INVALID_ADDRESS;
    return end == LLDB_INVALID_ADDRESS ? 0 : end;
}

} // namespace loupe
