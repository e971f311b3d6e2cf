/*
 * reads_command.cpp - `loupe-bench-reads`: what a walk from outside is measured against, by the
 * same functions of LLDB and from the same language as the walk.
 *
 *     loupe-bench-reads bulk START END     one read of all of it
 *     loupe-bench-reads words SEED LIMIT   a walk of LIMIT objects from SEED on by one read for
 * each word
 *
 * Prints milliseconds, reads, bytes, and the number of objects walked, 0 for bulk.
 */
#include <lldb/API/LLDB.h>

#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

extern "C" {
#include "naive.h"
}

namespace lldb {
__attribute__((visibility("default"))) bool PluginInitialize(SBDebugger debugger);
}

/* Of the clock on the wall: most of the work is done by other processes. */
extern "C" double bench_milliseconds(void) {
    using namespace std::chrono;
    return duration<double, std::milli>(steady_clock::now().time_since_epoch()).count();
}

namespace {

struct Reading {
    lldb::SBProcess process;
    double ms = 0;
    size_t objects = 0;
    uint64_t reads = 0, bytes = 0;
    bool failed = false;

    void Read(lldb::addr_t addr, void *dst, size_t len) {
        lldb::SBError error;
        failed |= process.ReadMemory(addr, dst, len, error) != len;
        reads++;
        bytes += len;
    }
};

void ReadBulk(Reading *reading, lldb::addr_t start, lldb::addr_t end) {
    std::unique_ptr<uint8_t[]> bytes(new uint8_t[end - start]);
    double before = bench_milliseconds();
    reading->Read(start, bytes.get(), end - start);
    reading->ms = bench_milliseconds() - before;
}

void ReadWords(Reading *reading, lldb::addr_t seed, size_t limit) {
    struct naive_reader reader = {[](void *ctx, uint64_t address) {
                                      uint64_t word = 0;
                                      static_cast<Reading *>(ctx)->Read(address, &word, 8);
                                      return word;
                                  },
                                  reading};
    reading->ms = naive_walk(&reader, seed, limit, &reading->objects);
}

class ReadsCommand : public lldb::SBCommandPluginInterface {
  public:
    bool DoExecute(lldb::SBDebugger debugger, char **arguments,
                   lldb::SBCommandReturnObject &result) override {
        Reading reading;
        reading.process = debugger.GetSelectedTarget().GetProcess();
        lldb::addr_t numbers[2] = {0, 0};
        unsigned count = 0;
        for (; arguments && arguments[0] && count < 2 && arguments[count + 1]; count++)
            numbers[count] = std::strtoull(arguments[count + 1], nullptr, 0);
        if (count == 2 && std::strcmp(arguments[0], "bulk") == 0 && numbers[0] < numbers[1])
            ReadBulk(&reading, numbers[0], numbers[1]);
        else if (count == 2 && std::strcmp(arguments[0], "words") == 0)
            ReadWords(&reading, numbers[0], numbers[1]);
        else
            reading.failed = true;
        if (reading.failed) {
            result.SetError(
                "usage: loupe-bench-reads bulk START END | words SEED LIMIT, of readable memory");
            return false;
        }
        char line[128];
        std::snprintf(line, sizeof(line), "%.3f %" PRIu64 " %" PRIu64 " %zu", reading.ms,
                      reading.reads, reading.bytes, reading.objects);
        result.AppendMessage(line);
        result.SetStatus(lldb::eReturnStatusSuccessFinishResult);
        return true;
    }
};

} // namespace

bool lldb::PluginInitialize(SBDebugger debugger) {
    return debugger.GetCommandInterpreter()
        .AddCommand("loupe-bench-reads", new ReadsCommand, "Reads to compare a walk with.")
        .IsValid();
}
