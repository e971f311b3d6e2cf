"""Address -> answer: by the plugin in lldb, or by the helper in the process."""
