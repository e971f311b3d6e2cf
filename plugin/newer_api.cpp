#include "newer_api.h"

#include <dlfcn.h>

#if __has_include(<lldb/API/SBProgress.h>)
#include <lldb/API/SBProgress.h>
#define LOUPE_HEADERS_HAVE_PROGRESS 1
#endif

namespace loupe {

namespace {

template <typename Function> void Lookup(const char *mangled, Function *found) {
    *found = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, mangled));
}

/* uint64_t is `unsigned long` on Linux and `unsigned long long` on Darwin. */
#ifdef __APPLE__
#define UINT64 "y"
#else
#define UINT64 "m"
#endif

void LookupProgress(NewerApi *api) {
    Lookup("_ZN4lldb10SBProgressC1EPKcS2_RNS_10SBDebuggerE", &api->begin_progress);
    Lookup("_ZN4lldb10SBProgress9IncrementE" UINT64 "PKc", &api->advance_progress);
    Lookup("_ZN4lldb10SBProgressD1Ev", &api->end_progress);
    if (!api->begin_progress || !api->advance_progress || !api->end_progress)
        api->begin_progress = nullptr;
}

} // namespace

#ifdef LOUPE_HEADERS_HAVE_PROGRESS
static_assert(sizeof(lldb::SBProgress) == sizeof(void *), "a bar has room for one pointer");
#endif

NewerApi NewerApi::Find() {
    NewerApi api;
    Lookup("_ZN4lldb9SBProcess10FixAddressE" UINT64 "NS_15AddressMaskTypeE", &api.fix_address);
    Lookup("_ZN4lldb10SBDebugger18InterruptRequestedEv", &api.interrupt_requested);
    LookupProgress(&api);
    return api;
}

Progress::~Progress() {
    if (api_.begin_progress)
        api_.end_progress(&bar_);
}

void Progress::Start(const NewerApi &api, lldb::SBDebugger debugger) {
    started_ = true;
    if (!api.begin_progress)
        return;
    api_ = api;
    /* LLDB makes a std::string of the details: they may be empty, but not a null pointer. */
    api_.begin_progress(&bar_, "Loupe is walking the object graph", "", debugger);
}

void Progress::Tick() {
    if (api_.begin_progress)
        api_.advance_progress(&bar_, 1, nullptr);
}

} // namespace loupe
