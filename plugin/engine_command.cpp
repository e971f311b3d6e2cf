#include "engine_command.h"

#include "target_reader.h"

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

std::string Usage() {
    std::string text = "usage: loupe-engine QUERY --address ADDR [--limit N] [--max-rings N] "
                       "[--timeout SECONDS] [--max-bytes N] [--with ARGUMENTS | --with-file FILE]; "
                       "QUERY is one of";
    for (int query = 0; query < LOUPE_QUERY_COUNT; query++)
        text += std::string(query ? ", " : " ") + loupe_query_name((enum loupe_query)query);
    return text;
}

/* What is read is kept until the answer is there: at most in half of this machine's memory. */
uint64_t BytesToRead() {
    long pages = sysconf(_SC_PHYS_PAGES), page_size = sysconf(_SC_PAGESIZE);
    constexpr uint64_t otherwise = uint64_t{4} << 30;
    bool known = pages > 0 && page_size > 0;
    return known ? static_cast<uint64_t>(pages) * static_cast<uint64_t>(page_size) / 2 : otherwise;
}

struct Request {
    struct loupe_question question = {};
    bool has_address = false;
    std::string arguments; /* of a file */
    std::chrono::microseconds timeout{0};
    uint64_t max_bytes = BytesToRead();
};

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
bool ParseOption(const char *name, const char *value, Request *request) {
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

/* Returns what to tell the caller; nothing when all is well. */
std::string ParseRequest(char **arguments, Request *request) {
    request->question.engine = "memory";
    if (!arguments || !*arguments)
        return Usage();
    if (!loupe_query_named(*arguments, &request->question.query))
        return std::string("no such question: ") + *arguments + "; " + Usage();
    for (char **option = arguments + 1; *option; option += 2) {
        if (!ParseOption(option[0], option[1], request))
            return std::string("not understood or not readable: ") + option[0] + " " +
                   (option[1] ? option[1] : "without a value") + "; " + Usage();
    }
    return request->has_address ? "" : std::string("no address given; ") + Usage();
}

std::string WhyNotReadable(lldb::SBProcess process) {
    if (!process.IsValid())
        return "no process: run the program or load a core file first";
    lldb::StateType state = process.GetState();
    if (state != lldb::eStateStopped && state != lldb::eStateSuspended &&
        state != lldb::eStateCrashed)
        return "the process is not stopped: interrupt it first (process interrupt)";
    if (process.GetTarget().GetNumModules() == 0)
        return "lldb knows no image of this core: give it the program too (target create --core "
               "CORE PROGRAM), or load its images (target modules add, target modules load)";
    return "";
}

const struct loupe_chunk_ops kMallocChunks = {
    [](void *, size_t size) { return std::malloc(size); },
    [](void *, void *chunk, size_t) { std::free(chunk); },
    nullptr,
};

struct loupe_sink StringSink(std::string *text) {
    return {[](void *ctx, const char *bytes, size_t len) {
                static_cast<std::string *>(ctx)->append(bytes, len);
                return LOUPE_OK;
            },
            text};
}

std::string Answer(lldb::SBDebugger debugger, lldb::SBProcess process, RegionMap &regions,
                   const NewerApi &api, const Request &request) {
    regions.Follow(process);
    TargetReader reader(debugger, process, regions, api);
    struct loupe_memory memory;
    loupe_memory_init(&memory, TargetReader::Ops(), &reader, reader.Machine(), &kMallocChunks);
    memory.bytes_left = request.max_bytes;
    loupe_memory_set_limit(&memory, static_cast<uint64_t>(request.timeout.count()));
    memory.page_reads = reader.PageReads();
    std::string json;
    loupe_answer(&memory, &kMallocChunks, &request.question, StringSink(&json));
    loupe_memory_deinit(&memory);
    return json;
}

} // namespace

/*
 * LLDB looks at the status of the result, not at what DoExecute returns: without a status the
 * output of a command in a breakpoint action is dropped.
 */
bool EngineCommand::DoExecute(lldb::SBDebugger debugger, char **arguments,
                              lldb::SBCommandReturnObject &result) {
    Request request;
    lldb::SBProcess process = debugger.GetSelectedTarget().GetProcess();
    std::string problem = ParseRequest(arguments, &request);
    if (problem.empty())
        problem = WhyNotReadable(process);
    if (!problem.empty()) {
        result.SetError(problem.c_str());
        return false;
    }
    result.AppendMessage(Answer(debugger, process, regions_, api_, request).c_str());
    result.SetStatus(lldb::eReturnStatusSuccessFinishResult);
    return true;
}

} // namespace loupe
