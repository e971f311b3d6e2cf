/*
 * newer_api.h - the parts of LLDB's SB API that the oldest supported LLDB (14) does not have.
 *
 * The plugin is not linked to liblldb, and one binary serves all versions: these functions are
 * looked up at run time and left out where they are missing.
 */
#ifndef LOUPE_PLUGIN_NEWER_API_H
#define LOUPE_PLUGIN_NEWER_API_H

#include <lldb/API/LLDB.h>

#include <memory>

namespace loupe {

struct NewerApi {
    using FixAddressFunction = lldb::addr_t (*)(lldb::SBProcess *, lldb::addr_t, unsigned type);
    using InterruptRequestedFunction = bool (*)(lldb::SBDebugger *);

    FixAddressFunction fix_address = nullptr;                 /* SBProcess::FixAddress, LLVM 18 */
    InterruptRequestedFunction interrupt_requested = nullptr; /* SBDebugger's, LLVM 17 */
    bool has_progress = false;                                /* SBProgress, LLVM 20 */

    static NewerApi Find();
};

/* A progress bar for walks that take long; nothing where LLDB has none. */
class Progress {
  public:
    Progress();
    ~Progress();
    void Start(const NewerApi &api, lldb::SBDebugger debugger);
    void Tick();
    bool Started() const {
        return started_;
    }

  private:
    struct Bar;
    bool started_ = false;
    std::unique_ptr<Bar> bar_;
};

} // namespace loupe

#endif
