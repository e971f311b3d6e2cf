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
    /* LLDB keeps the pointer for as long as the debugger lives. */
    static loupe::EngineCommand command;
    return debugger.GetCommandInterpreter()
        .AddCommand("loupe-engine", &command,
                    "Answer one question about an Objective-C object as a line of JSON.")
        .IsValid();
}
