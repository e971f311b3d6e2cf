"""Address -> answer: by the plugin in lldb, a process beside it, or the helper in the process."""
