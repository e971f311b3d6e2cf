/*
 * engine_command.h - `loupe-engine`, the one native command: a question in, a line of JSON out.
 *
 *     loupe-engine QUERY --address ADDR [--limit N] [--max-rings N] [--timeout SECONDS]
 *                  [--max-bytes N] [--with ARGUMENTS | --with-file FILE] [--session N]
 *     loupe-engine ask|extend|close --session N [--timeout SECONDS] [--with FACTS | --with-file
 * FILE]
 *
 * With --session the question stays open under that number, any but 0, until it is closed, another
 * one is asked, or the process runs; but one whose first answer lists nothing under `unread` is
 * closed at once. What the verbs do: core/session.h.
 *
 * For machines. A native command gets no execution context from LLDB, so the front end resolves
 * names and expressions; this command only takes an address and asks the selected target's process.
 * What a limit, the time, the bytes to read or an interruption leaves out is told in the answer,
 * which then is "incomplete".
 */
#ifndef LOUPE_PLUGIN_ENGINE_COMMAND_H
#define LOUPE_PLUGIN_ENGINE_COMMAND_H

#include "newer_api.h"
#include "region_map.h"
#include "target_session.h"

#include <lldb/API/LLDB.h>

#include <memory>

namespace loupe {

struct EngineRequest;

class EngineCommand : public lldb::SBCommandPluginInterface {
  public:
    EngineCommand() : api_(NewerApi::Find()) {}
    bool DoExecute(lldb::SBDebugger debugger, char **arguments,
                   lldb::SBCommandReturnObject &result) override;

  private:
    std::string Open(lldb::SBDebugger debugger, lldb::SBProcess process,
                     const EngineRequest &request);

    const NewerApi api_;
    RegionMap regions_;                      /* of the process that was asked last */
    std::unique_ptr<TargetSession> session_; /* the one that is open */
};

} // namespace loupe

#endif
