#include "target_session.h"

#include <cstdlib>

extern "C" {
#include "loupe.h"
#include "report/report.h"
}

namespace loupe {

namespace {

const struct loupe_chunk_ops kMallocChunks = {
    [](void *, size_t size) { return std::malloc(size); },
    [](void *, void *chunk, size_t) { std::free(chunk); },
    nullptr,
    [](void *, void *chunk, size_t, size_t wanted) { return std::realloc(chunk, wanted); },
};

struct loupe_sink StringSink(std::string *text) {
    return {[](void *ctx, const char *bytes, size_t len) {
                static_cast<std::string *>(ctx)->append(bytes, len);
                return LOUPE_OK;
            },
            text};
}

/* Expressions stop the process, too. */
uint32_t StopId(lldb::SBProcess process) {
    return process.GetStopID(true);
}

} // namespace

TargetSession::TargetSession(uint64_t number, lldb::SBDebugger debugger, lldb::SBProcess process,
                             RegionMap &regions, const NewerApi &api,
                             const struct loupe_question &question, const std::string &file,
                             uint64_t max_bytes)
    : number_(number), process_id_(process.GetUniqueID()), stop_id_(StopId(process)),
      reader_(debugger, process, regions, api), question_(question) {
    loupe_memory_init(&memory_, TargetReader::Ops(), &reader_, reader_.Machine(), &kMallocChunks);
    memory_.bytes_left = max_bytes;
    memory_.page_reads = reader_.PageReads();
    DescribeTarget(process);
    if (!file.empty()) {
        file_ = std::make_unique<SnapshotFile>(file);
        question_.file = file_->Sink();
    }
}

/* What a snapshot says of where it came from. */
void TargetSession::DescribeTarget(lldb::SBProcess process) {
    using std::chrono::duration_cast;
    using std::chrono::milliseconds;
    char path[4096] = "";
    process.GetTarget().GetExecutable().GetPath(path, sizeof(path));
    program_ = path;
    question_.program = program_.c_str();
    question_.process = process.GetProcessID();
    question_.of_core = reader_.IsCoreFile();
    question_.time = static_cast<uint64_t>(
        duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count());
}

TargetSession::~TargetSession() {
    if (session_)
        loupe_session_close(session_);
    loupe_memory_deinit(&memory_);
}

bool TargetSession::IsCurrent(lldb::SBProcess process) const {
    return process.GetUniqueID() == process_id_ && StopId(process) == stop_id_;
}

std::string TargetSession::NotKept() const {
    std::string json;
    struct loupe_envelope envelope = {loupe_query_name(question_.query), question_.engine, nullptr,
                                      memory_.machine.pointer_size};
    struct loupe_error error;
    struct loupe_json writer;
    loupe_json_init(&writer, StringSink(&json));
    loupe_fail(&error, LOUPE_EUSAGE, 0, LOUPE_SNAPSHOT_NOT_WRITTEN);
    loupe_report_error(&writer, &envelope, &error);
    loupe_json_finish(&writer);
    return json;
}

std::string TargetSession::Open(std::chrono::microseconds timeout) {
    std::string json;
    loupe_memory_set_limit(&memory_, static_cast<uint64_t>(timeout.count()));
    session_ = loupe_session_open(&memory_, &kMallocChunks, &question_);
    if (!session_) /* it says so */
        loupe_answer(&memory_, &kMallocChunks, &question_, StringSink(&json));
    else if (loupe_session_begin(session_, StringSink(&json)) == LOUPE_OK && file_ &&
             !file_->Keep())
        json = NotKept();
    return json;
}

std::string TargetSession::Ask(const char *facts, std::chrono::microseconds timeout) {
    std::string json;
    loupe_memory_set_limit(&memory_, static_cast<uint64_t>(timeout.count()));
    if (loupe_session_ask(session_, facts, StringSink(&json)) == LOUPE_OK && file_ &&
        !file_->Keep())
        json = NotKept();
    return json;
}

std::string TargetSession::Extend(const char *facts, std::chrono::microseconds timeout) {
    std::string json;
    loupe_memory_set_limit(&memory_, static_cast<uint64_t>(timeout.count()));
    loupe_session_extend(session_, facts, StringSink(&json));
    return json;
}

} // namespace loupe
