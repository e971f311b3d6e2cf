/*
 * target_session.h - one question to one process at one stop, which may be kept open
 * (core/session.h).
 *
 * Memory that was read is not read again, so a session is over when the process ran, and when an
 * expression was evaluated in it, which may have written anything: IsCurrent() tells. LLDB does not
 * tell who wrote memory otherwise; so a front end closes its session before its command ends.
 */
#ifndef LOUPE_PLUGIN_TARGET_SESSION_H
#define LOUPE_PLUGIN_TARGET_SESSION_H

#include "snapshot_file.h"
#include "target_reader.h"

#include <memory>
#include <string>

extern "C" {
#include "session.h"
}

namespace loupe {

class TargetSession {
  public:
    /* regions and api outlive it; the question's texts last until Open(). A snapshot goes to the
     * file of that path; empty: to none. */
    TargetSession(uint64_t number, lldb::SBDebugger debugger, lldb::SBProcess process,
                  RegionMap &regions, const NewerApi &api, const struct loupe_question &question,
                  const std::string &file, uint64_t max_bytes);
    ~TargetSession();
    TargetSession(const TargetSession &) = delete;
    TargetSession &operator=(const TargetSession &) = delete;

    /* That a front end gave it. */
    uint64_t Number() const {
        return number_;
    }
    /* Whether there is anything to go on with. */
    bool Lists() const {
        return session_ && loupe_session_lists(session_);
    }
    /* Whether it is about this process, which is as it was. */
    bool IsCurrent(lldb::SBProcess process) const;

    /* A line of JSON each. facts may be nullptr; a time of 0 has no end. */
    std::string Open(std::chrono::microseconds timeout);
    std::string Ask(const char *facts, std::chrono::microseconds timeout);
    std::string Extend(const char *facts, std::chrono::microseconds timeout);

  private:
    void DescribeTarget(lldb::SBProcess process);
    /* The answer where the file could not be put in its place. */
    std::string NotKept() const;

    const uint64_t number_;
    const uint32_t process_id_, stop_id_;
    TargetReader reader_;
    struct loupe_memory memory_;
    struct loupe_question question_;
    std::string program_; /* path of the executable */
    std::unique_ptr<SnapshotFile> file_;
    struct loupe_session *session_ = nullptr;
};

} // namespace loupe

#endif
