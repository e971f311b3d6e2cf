#include "engine_command.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>

extern "C" {
#include "loupe.h"
}

namespace loupe {

namespace {

/* What is read is kept until the answer is there: at most in half of this machine's memory. */
uint64_t BytesToRead() {
    long pages = sysconf(_SC_PHYS_PAGES), page_size = sysconf(_SC_PAGESIZE);
    constexpr uint64_t otherwise = uint64_t{4} << 30;
    bool known = pages > 0 && page_size > 0;
    return known ? static_cast<uint64_t>(pages) * static_cast<uint64_t>(page_size) / 2 : otherwise;
}

} // namespace

enum class Step { kOpen, kAsk, kExtend, kClose };

struct EngineRequest {
    Step step = Step::kOpen;
    uint64_t session = 0; /* 0: none */
    struct loupe_question question = {};
    bool has_address = false;
    std::string arguments; /* of a file */
    std::string file;      /* for a snapshot */
    std::chrono::microseconds timeout{0};
    uint64_t max_bytes = BytesToRead();
};

namespace {

std::string Usage() {
    std::string text =
        "usage: loupe-engine QUERY --address ADDR [--limit N] [--max-rings N] "
        "[--timeout SECONDS] [--max-bytes N] [--with ARGUMENTS | --with-file FILE] "
        "[--session N] [--file FILE]; then ask, extend or close --session N [--timeout SECONDS] "
        "[--with FACTS | --with-file FILE]; QUERY is one of";
    for (int query = 0; query < LOUPE_QUERY_COUNT; query++)
        text += std::string(query ? ", " : " ") + loupe_query_name((enum loupe_query)query);
    return text;
}

bool ParseNumber(const char *text, uint64_t max, uint64_t *ret) {
    char *end = nullptr;
    errno = 0;
    unsigned long long value = std::strtoull(text, &end, 0);
    bool plain = text[0] >= '0' && text[0] <= '9' && end && !*end && errno == 0;
    if (plain && value <= max)
        *ret = value;
    return plain && value <= max;
}

bool ParseSeconds(const char *text, std::chrono::microseconds *ret) {
    char *end = nullptr;
    double seconds = std::strtod(text, &end);
    bool good = end != text && !*end && seconds >= 0 && seconds < 1e6;
    if (good)
        *ret = std::chrono::microseconds(static_cast<int64_t>(seconds * 1e6));
    return good;
}

bool ReadFile(const char *path, std::string *ret) {
    std::ifstream file(path, std::ios::binary);
    ret->assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    return file.good() || file.eof();
}

/* Fills the field that one option names. False: no such option, or a bad value. */
bool ParseOption(const char *name, const char *value, EngineRequest *request) {
    uint64_t number = 0;
    if (!value)
        return false;
    if (std::strcmp(name, "--timeout") == 0)
        return ParseSeconds(value, &request->timeout);
    if (std::strcmp(name, "--address") == 0) {
        request->has_address = ParseNumber(value, UINT64_MAX, &request->question.address);
        return request->has_address;
    }
    if (std::strcmp(name, "--with") == 0) {
        request->question.arguments = value;
        return true;
    }
    if (std::strcmp(name, "--with-file") == 0) {
        bool read = ReadFile(value, &request->arguments);
        request->question.arguments = request->arguments.c_str();
        return read;
    }
    if (std::strcmp(name, "--file") == 0) {
        request->file = value;
        return !request->file.empty();
    }
    if (std::strcmp(name, "--session") == 0)
        return ParseNumber(value, UINT64_MAX, &request->session) && request->session;
    if (std::strcmp(name, "--limit") == 0)
        return ParseNumber(value, UINT64_MAX, &request->question.limit);
    if (std::strcmp(name, "--max-bytes") == 0)
        return ParseNumber(value, UINT64_MAX, &request->max_bytes);
    if (std::strcmp(name, "--max-rings") == 0 && ParseNumber(value, UINT32_MAX, &number)) {
        request->question.max_rings = static_cast<uint32_t>(number);
        return true;
    }
    return false;
}

/* A question, or what is to be done with one that is open. */
bool ParseVerb(const char *verb, EngineRequest *request) {
    static const struct {
        const char *verb;
        Step step;
    } kSteps[] = {{"ask", Step::kAsk}, {"extend", Step::kExtend}, {"close", Step::kClose}};
    for (const auto &known : kSteps) {
        if (std::strcmp(verb, known.verb) == 0) {
            request->step = known.step;
            return true;
        }
    }
    return loupe_query_named(verb, &request->question.query);
}

/* Returns what to tell the caller; nothing when all is well. */
std::string ParseRequest(char **arguments, EngineRequest *request) {
    request->question.engine = "memory";
    if (!arguments || !*arguments)
        return Usage();
    if (!ParseVerb(*arguments, request))
        return std::string("no such question: ") + *arguments + "; " + Usage();
    for (char **option = arguments + 1; *option; option += 2) {
        if (!ParseOption(option[0], option[1], request))
            return std::string("not understood or not readable: ") + option[0] + " " +
                   (option[1] ? option[1] : "without a value") + "; " + Usage();
    }
    if (request->step != Step::kOpen)
        return request->session ? "" : std::string("no session given; ") + Usage();
    bool is_about_all = request->question.query == LOUPE_QUERY_SNAPSHOT;
    return request->has_address || is_about_all ? "" : std::string("no address given; ") + Usage();
}

/* Of a process that was attached to, LLDB goes by the file's name, which may lead nowhere any more.
 */
std::string WhyWithoutImages(lldb::SBProcess process) {
    const char *plugin = process.GetPluginName();
    if (!plugin || std::string(plugin) != "gdb-remote")
        return "lldb knows no image of this core: give it the program too (target create --core "
               "CORE PROGRAM), or load its images (target modules add, target modules load)";
    std::string id = std::to_string(process.GetProcessID());
    return "lldb knows no image of this process, whose program was deleted or replaced: detach, "
           "then target create /proc/" +
           id + "/exe, and process attach -p " + id;
}

std::string WhyNotReadable(lldb::SBProcess process) {
    if (!process.IsValid())
        return "no process: run the program or load a core file first";
    lldb::StateType state = process.GetState();
    if (state != lldb::eStateStopped && state != lldb::eStateSuspended &&
        state != lldb::eStateCrashed)
        return "the process is not stopped: interrupt it first (process interrupt)";
    if (process.GetTarget().GetNumModules() == 0)
        return WhyWithoutImages(process);
    return "";
}

} // namespace

/*
 * LLDB looks at the status of the result, not at what DoExecute returns: without a status the
 * output of a command in a breakpoint action is dropped.
 */
bool EngineCommand::DoExecute(lldb::SBDebugger debugger, char **arguments,
                              lldb::SBCommandReturnObject &result) {
    EngineRequest request;
    lldb::SBProcess process = debugger.GetSelectedTarget().GetProcess();
    std::string json, problem = ParseRequest(arguments, &request);
    if (problem.empty() && request.step != Step::kClose)
        problem = WhyNotReadable(process);
    if (session_ && !session_->IsCurrent(process))
        session_.reset();
    bool goes_on = request.step == Step::kAsk || request.step == Step::kExtend;
    if (problem.empty() && goes_on && (!session_ || session_->Number() != request.session))
        problem = "no such session: the process ran, or another question was asked since";
    if (!problem.empty()) {
        result.SetError(problem.c_str());
        return false;
    }
    switch (request.step) {
    case Step::kOpen:
        json = Open(debugger, process, request);
        break;
    case Step::kAsk:
        json = session_->Ask(request.question.arguments, request.timeout);
        break;
    case Step::kExtend:
        json = session_->Extend(request.question.arguments, request.timeout);
        break;
    case Step::kClose:
        if (session_ && session_->Number() == request.session)
            session_.reset();
        break;
    }
    if (!json.empty())
        result.AppendMessage(json.c_str());
    result.SetStatus(lldb::eReturnStatusSuccessFinishResult);
    return true;
}

/* One session at a time; one without a number ends at once, and one that lists nothing. */
std::string EngineCommand::Open(lldb::SBDebugger debugger, lldb::SBProcess process,
                                const EngineRequest &request) {
    session_.reset();
    regions_.Follow(process);
    session_ = std::make_unique<TargetSession>(request.session, debugger, process, regions_, api_,
                                               request.question, request.file, request.max_bytes);
    std::string json = session_->Open(request.timeout);
    if (!request.session || !session_->Lists())
        session_.reset();
    return json;
}

} // namespace loupe
