#include "newer_api.h"

#include <dlfcn.h>

#if __has_include(<lldb/API/SBProgress.h>)
#include <lldb/API/SBProgress.h>
#define LOUPE_HEADERS_HAVE_PROGRESS 1
#endif

namespace loupe {

namespace {

template <typename Function> Function Lookup(const char *mangled) {
    return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, mangled));
}

} // namespace

NewerApi NewerApi::Find() {
    NewerApi api;
    /* uint64_t is `unsigned long` on Linux and `unsigned long long` on Darwin. */
#ifdef __APPLE__
    const char *fix_address = "_ZN4lldb9SBProcess10FixAddressEyNS_15AddressMaskTypeE";
    const char *progress = "_ZN4lldb10SBProgress9IncrementEyPKc";
#else
    const char *fix_address = "_ZN4lldb9SBProcess10FixAddressEmNS_15AddressMaskTypeE";
    const char *progress = "_ZN4lldb10SBProgress9IncrementEmPKc";
#endif
    api.fix_address = Lookup<FixAddressFunction>(fix_address);
    api.interrupt_requested =
        Lookup<InterruptRequestedFunction>("_ZN4lldb10SBDebugger18InterruptRequestedEv");
    api.has_progress = dlsym(RTLD_DEFAULT, progress) != nullptr;
    return api;
}

#ifdef LOUPE_HEADERS_HAVE_PROGRESS

/* SBProgress's functions are bound when first called, so only where they exist. */
struct Progress::Bar {
    /* LLDB makes a std::string of the details: they may be empty, but not a null pointer. */
    explicit Bar(lldb::SBDebugger debugger)
        : progress("Loupe is walking the object graph", "", debugger) {}
    lldb::SBProgress progress;
};

void Progress::Start(const NewerApi &api, lldb::SBDebugger debugger) {
    started_ = true;
    if (api.has_progress)
        bar_ = std::make_unique<Bar>(debugger);
}

void Progress::Tick() {
    if (bar_)
        bar_->progress.Increment(1);
}

#else

struct Progress::Bar {};

void Progress::Start(const NewerApi &, lldb::SBDebugger) {
    started_ = true;
}

void Progress::Tick() {}

#endif

Progress::Progress() = default;
Progress::~Progress() = default;

} // namespace loupe
