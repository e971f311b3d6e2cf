/*
 * plugin.cpp - what LLDB calls on `plugin load`. Everything else is in engine_command.cpp (the
 * command) and target_reader.cpp (the target's memory); all knowledge of Objective-C is in the
 * core.
 */
#include "engine_command.h"

namespace lldb {
__attribute__((visibility("default"))) bool PluginInitialize(SBDebugger debugger);
}

bool lldb::PluginInitialize(SBDebugger debugger) {
    /* LLDB takes the command over and deletes it with the debugger. */
    return debugger.GetCommandInterpreter()
        .AddCommand("loupe-engine", new loupe::EngineCommand,
                    "Answer one question about an Objective-C object as a line of JSON.")
        .IsValid();
}
