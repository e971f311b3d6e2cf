# Sourced by what measures inside LLDB.

# measure_in_lldb BUILD_TREE LLDB SCRIPT COMMAND: imports SCRIPT beside the plugin and the library
# that reads whole regions, runs its COMMAND, and prints the lines of its table. $work is a folder
# of the caller's for what LLDB says.
measure_in_lldb() {
    local tree=$1 lldb=$2 script=$3 command=$4
    # lldb echoes its commands and tells of every stop; the lines of the table start with a blank.
    if ! "$lldb" --batch --no-lldbinit --source-quietly \
        -o "plugin load \"$tree/plugin/libloupe_plugin.so\"" \
        -o "plugin load \"$tree/bench/libloupe_bench_reads.so\"" \
        -o "command script import \"$script\"" \
        -o "$command" \
        2>"$work/errors" | tee "$work/output" | sed -n '/^ /p'; then
        tail -n 20 "$work/output" "$work/errors" >&2
        exit 1
    fi
    # Not every lldb fails where its command did.
    if [ -s "$work/errors" ] && grep -q '^error' "$work/errors"; then
        cat "$work/errors" >&2
        exit 1
    fi
}
