/*
 * newer_api.h - the parts of LLDB's SB API that the oldest supported LLDB (14) does not have.
 *
 * The plugin is not linked to liblldb, and one binary serves all versions: these functions are
 * looked up at run time and left out where they are missing.
 */
#ifndef LOUPE_PLUGIN_NEWER_API_H
#define LOUPE_PLUGIN_NEWER_API_H

#include <lldb/API/LLDB.h>

namespace loupe {

struct NewerApi {
    using FixAddressFunction = lldb::addr_t (*)(lldb::SBProcess *, lldb::addr_t, unsigned type);
    using InterruptRequestedFunction = bool (*)(lldb::SBDebugger *);
    using BeginProgressFunction = void (*)(void *bar, const char *title, const char *details,
                                           lldb::SBDebugger &);
    using AdvanceProgressFunction = void (*)(void *bar, uint64_t amount, const char *details);
    using EndProgressFunction = void (*)(void *bar);

    FixAddressFunction fix_address = nullptr;                 /* SBProcess::FixAddress, LLVM 18 */
    InterruptRequestedFunction interrupt_requested = nullptr; /* SBDebugger's, LLVM 17 */
    /* SBProgress, LLVM 20: all three or none */
    BeginProgressFunction begin_progress = nullptr;
    AdvanceProgressFunction advance_progress = nullptr;
    EndProgressFunction end_progress = nullptr;

    static NewerApi Find();
};

/* A progress bar for walks that take long; nothing where LLDB has none. */
class Progress {
  public:
    Progress() = default;
    Progress(const Progress &) = delete;
    Progress &operator=(const Progress &) = delete;
    ~Progress();
    void Start(const NewerApi &api, lldb::SBDebugger debugger);
    void Tick();
    bool Started() const {
        return started_;
    }

  private:
    bool started_ = false;
    NewerApi api_;        /* with the functions of a bar that is shown, else with none */
    void *bar_ = nullptr; /* an SBProgress, which as every class of the SB API holds one pointer */
};

} // namespace loupe

#endif
