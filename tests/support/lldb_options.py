"""How lldb is started by tests. It looks for debug information of the system's libraries elsewhere, which takes
half of its start; no machine has to have any."""
QUICK = ("-O", "settings set symbols.enable-external-lookup false")
