/*
 * options.h - every option, one a line: to add one is to add its line.
 *
 * OPTION(field, kind, name, letter, key, value, default, in a terminal, in LLDB, help)
 *
 * field: where the tool keeps it, in struct verb_values. Options that only LLDB has, and those of
 * `explain`, are ONLY_SAID(...) without one. letter: short for it everywhere; key: where LLDB
 * parses the line, and needs a letter for each. value: what help calls it; a choice lists all, with
 * bars. default: as it would be typed, NULL for none. The verbs that take it are sets, ON(leaks) |
 * ON(heap); with | SERVED in a terminal the tools of `loupe serve` take it, too. An option may
 * stand here more than once, where verbs differ about it.
 */
#ifndef LOUPE_VERBS_OPTIONS_H
#define LOUPE_VERBS_OPTIONS_H

#include "verbs/list.h"

#define LIMITED                                                                                    \
    (ON(leaks) | ON(cycles) | ON(retained) | ON(heap) | ON(find) | ON(show) | ON(threads) |        \
     ON(sql) | ON(suspects) | ON(diff))
#define DRAWN   (ON(leaks) | ON(cycles) | ON(retain_cycles) | ON(path) | ON(retained) | ON(suspects))
#define GATED   (ON(leaks) | ON(cycles) | ON(retain_cycles))
#define RULED   (ON(cycles) | ON(path) | ON(suspects) | ON(diff))
#define COUNTED (ON(path) | ON(retained) | ON(heap) | ON(find) | ON(show) | ON(suspects))
/* About a whole heap, by the list of verbs. */
#define IS_HEAP_HEAP        1
#define IS_HEAP_OTHER       0
#define IF_HEAP(name, kind) | (IS_HEAP_##kind * ON(name))
#define HEAPS               (UINT64_C(0) LOUPE_VERBS(IF_HEAP))
/* About an object, by an engine. */
#define LAYOUTS (ON(block_layout) | ON(ivar_layout))
#define QUERIES (ON(retain_cycles) | LAYOUTS | ON(strong_refs) | ON(allocated))
/* Of a file in a terminal, whole heaps or one object. */
#define ASKED  (HEAPS | ON(retain_cycles) | LAYOUTS | ON(strong_refs))
#define SHORT  (ON(backtraces) | ON(break) | ON(history) | ON(inject) | ON(watch))
#define TRACED (ON(backtraces) | ON(break) | ON(inject) | ON(summary) | ON(watch))

/* clang-format off */
#define LOUPE_OPTIONS(OPTION, ONLY_SAID)                                                                                                \
    ONLY_SAID(      ENUM,    "engine",           0,  'e', "auto|memory|helper",     "auto", 0, QUERIES | ON(backtraces) | ON(history), \
              "what reads the objects: memory (from LLDB, runs nothing), helper (loaded into the program); auto: helper if already loaded") \
    ONLY_SAID(      FLAG,    "all",             'a', 'a', "",                       NULL,   0, ON(retain_cycles), \
              "all retain cycles of the heap, without naming an object") \
    OPTION(sort,    ENUM,    "sort",             0,  's', "count|size|retained",    NULL,   ON(heap) | SERVED, ON(heap), \
              "sort by this (default: size)") \
    OPTION(summary, FLAG,    "summary",          0,   0,  "",                       NULL,   ON(heap) | ON(suspects), 0, \
              "count classes only, in one pass and little memory: a Java heap of any size, also from a pipe") \
    OPTION(by,      ENUM,    "by",               0,  'b', "package|loader|superclass", NULL, ON(heap), ON(heap), \
              "add up by package, class loader or superclass; --class then matches their names") \
    OPTION(class_pattern, CLASS, "class",       'c', 'c', "PATTERN",                NULL,   ON(leaks) | ON(heap) | ON(diff) | ON(retained) | SERVED, ON(leaks) | ON(heap) | ON(diff) | ON(retained), \
              "only classes of this name; * stands for any text") \
    OPTION(subclasses, FLAG, "subclasses",       0,  'S', "",                       NULL,   ON(find) | SERVED, ON(find), \
              "also instances of subclasses") \
    OPTION(paths,   COUNT,   "paths",           'n', 'n', "N",                      NULL,   ON(path), ON(path), \
              "show N paths (default: 1)") \
    OPTION(to_class, CLASS,  "to-class",        'c', 'c', "PATTERN",                NULL,   ON(path) | SERVED, ON(path), \
              "show paths to the instances of these classes") \
    OPTION(each,    FLAG,    "each",             0,   0,  "",                       NULL,   ON(path), ON(path), \
              "with --to-class: the path of each, equal ones too") \
    OPTION(rules,   FILE,    "rules",            0,  'r', "FILE",                   NULL,   RULED | ON(report), RULED, \
              "use the rules of FILE before Loupe's own (docs/rules.md)") \
    OPTION(exclude, FILE,    "exclude",          0,  'X', "FILE",                   NULL,   RULED, RULED, \
              "same as --rules") \
    OPTION(share,   TEXT,    "share",            0,  'P', "P",                      "10%",  ON(suspects), ON(suspects), \
              "also report owners of P percent of the heap or more (default: 10%)") \
    OPTION(depth,   COUNT,   "depth",            0,  'D', "N",                      NULL,   ON(show), ON(show), \
              "show the fields of referenced objects to N levels (default: 1)") \
    ONLY_SAID(      COUNT,   "depth",            0,   0,  "N",                      NULL,   0, ON(strong_refs), \
              "show a tree, N references deep") \
    ONLY_SAID(      FLAG,    "dealloc",          0,   0,  "",                       NULL,   0, ON(break), \
              "stop once, in -dealloc of the object that the expression names") \
    ONLY_SAID(      CLASS,   "class",            0,   0,  "CLASS",                  NULL,   0, ON(watch), \
              "with --stop-at: count instances of CLASS") \
    ONLY_SAID(      COUNT,   "stop-at",          0,   0,  "N",                      NULL,   0, ON(watch), \
              "stop once, where the N-th further instance of --class is made") \
    OPTION(because, TEXT,    "because",          0,   0,  "TEXT",                   NULL,   ON(ignore), ON(ignore), \
              "write the reason into the file") \
    OPTION(ignored_in, FILE, "baseline",         0,   0,  "FILE",                   ".loupe-baseline", ON(ignore), ON(ignore), \
              "write to FILE (default: .loupe-baseline)") \
    OPTION(runs,    FLAG,    "runs",             0,   0,  "",                       NULL,   ON(diff), 0, \
              "compare two runs: classes and leaks, not addresses") \
    OPTION(count_as, ENUM,   "count-as",         0,   0,  "loupe|mat|visualvm|haha", NULL,  COUNTED, 0, \
              "count a Java heap like another tool") \
    OPTION(limit,   NUMBER,  "limit",           'n', 'n', "N",                      NULL,   LIMITED | ON(path), LIMITED, \
              "show at most N rows; 0: all") \
    ONLY_SAID(      COUNT,   "limit",            0,   0,  "N",                      NULL,   0, ON(retain_cycles) | ON(strong_refs), \
              "search at most N objects (default: one million)") \
    OPTION(max_rings, COUNT, "max-rings",        0,  'm', "N",                      NULL,   ON(cycles) | ON(retain_cycles), ON(cycles), \
              "show N loops of each retain cycle") \
    ONLY_SAID(      COUNT,   "max-rings",       'n', 'n', "N",                      NULL,   0, ON(retain_cycles), \
              "show N loops of each retain cycle (default: 1)") \
    OPTION(group,   ENUM,    "group",            0,  'g', "stack",                  NULL,   ON(leaks), ON(leaks), \
              "add leaks up by the stack that allocated them (docs/recording.md)") \
    OPTION(known,   FLAG,    "known",            0,  'k', "",                       NULL,   ON(leaks), ON(leaks), \
              "also show known leaks of libraries (docs/leaks.md)") \
    OPTION(incoming, FLAG,   "incoming",         0,   0,  "",                       NULL,   ON(strong_refs), ON(strong_refs), \
              "show who holds the object, instead of what it owns") \
    ONLY_SAID(      EXPRS,   "from",             0,   0,  "EXPR",                   NULL,   0, ON(strong_refs), \
              "with --incoming: search from EXPR only; repeatable") \
    OPTION(explain, FLAG,    "explain",          0,   0,  "",                       NULL,   ON(strong_refs), ON(retain_cycles) | ON(strong_refs), \
              "also show weak and unretained references, and why") \
    ONLY_SAID(      FLAG,    "probe",            0,   0,  "",                       NULL,   0, LAYOUTS, \
              "run the program's release code once, on fake objects, and compare") \
    ONLY_SAID(      FLAG,    "quiet",           'q', 'q', "",                       NULL,   0, ON(retain_cycles), \
              "print nothing if nothing is found, and each loop only once") \
    ONLY_SAID(      FLAG,    "repeat",           0,   0,  "",                       NULL,   0, ON(retain_cycles), \
              "with -q: also print loops that were printed before") \
    OPTION(html,    FILE,    "html",             0,  'H', "FILE",                   NULL,   DRAWN | ON(heap), DRAWN, \
              "write an HTML page to FILE") \
    OPTION(dot,     FILE,    "dot",              0,  'd', "FILE",                   NULL,   DRAWN | ON(heap), DRAWN, \
              "write a graph for Graphviz to FILE") \
    OPTION(format,  ENUM,    "format",           0,   0,  "github|gitlab|markdown|sarif|junit|html|dot", NULL, DRAWN | ON(draw) | ON(compare), 0, \
              "write a CI report, HTML page or graph instead") \
    OPTION(rows_format, ENUM, "format",          0,  'f', "table|csv|ndjson",       "table", ON(sql), 0, \
              "write rows in this format (default: table)") \
    OPTION(list,    FLAG,    "list",             0,  'l', "",                       NULL,   ON(sql), ON(sql), \
              "list the shipped questions") \
    ONLY_SAID(      ENUM,    "format",           0,  'f', "github|gitlab|markdown|sarif|junit", NULL,   0, DRAWN, \
              "write a CI report instead") \
    OPTION(anchor,  FILE,    "anchor",           0,  'A', "FILE",                   NULL,   DRAWN | ON(draw) | ON(compare), DRAWN, \
              "with --format: report findings without a known line at FILE") \
    OPTION(append,  FLAG,    "append",           0,  'p', "",                       NULL,   DRAWN | ON(draw) | ON(compare), DRAWN, \
              "with --format: append to the existing report") \
    OPTION(title,   TEXT,    "title",            0,   0,  "TEXT",                   NULL,   ON(draw), 0, \
              "title of the page") \
    OPTION(verbose, FLAG,    "verbose",         'v', 'v', "",                       NULL,   ON(draw), 0, \
              "fold nothing in a graph") \
    OPTION(whole,   FLAG,    "verbose",         'v', 0,   "",                       NULL,   ON(show), 0, \
              "show whole texts, and all elements") \
    OPTION(filters, FILE,    "filters",          0,  'x', "FILE",                   NULL,   GATED, GATED, \
              "hide the references in FILE (docs/ci.md; default in LLDB: .loupe-filters); none: hide nothing") \
    ONLY_SAID(      FILE,    "filters",          0,   0,  "FILE",                   NULL,   0, ON(watch), \
              "do not report what only references in FILE keep alive") \
    OPTION(baseline, FILE,   "baseline",         0,  'b', "FILE",                   NULL,   GATED | ON(suspects), GATED | ON(suspects), \
              "report only findings that are not in FILE") \
    ONLY_SAID(      FILE,    "baseline",         0,   0,  "FILE",                   NULL,   0, ON(watch), \
              "do not report retain cycles that are in FILE") \
    OPTION(write_baseline, FILE, "write-baseline", 0, 'w', "FILE",                  NULL,   GATED | ON(suspects), GATED | ON(suspects), \
              "write the findings to FILE, with those of --baseline") \
    OPTION(allow_incomplete, FLAG, "allow-incomplete", 0, 'i', "",                  NULL,   GATED | ON(suspects), GATED | ON(suspects) | ON(summary), \
              "do not fail only because the result is incomplete") \
    OPTION(fail_if_found, FLAG, "fail-if-found", 0,  'F', "",                       NULL,   ON(cycles) | ON(retain_cycles) | ON(suspects) | ON(report), GATED | ON(suspects) | ON(summary), \
              "fail if something is found") \
    ONLY_SAID(      SECONDS, "after",            0,   0,  "SECONDS",                "2",    0, ON(watch), \
              "report it if it is alive after SECONDS (default: 2)") \
    ONLY_SAID(      FILE,    "rules",            0,   0,  "FILE",                   NULL,   0, ON(watch), \
              "watch objects by the rules of FILE, or uikit, appkit, gnustep") \
    ONLY_SAID(      FLAG,    "stop",             0,   0,  "",                       NULL,   0, ON(watch), \
              "stop where an object is reported") \
    ONLY_SAID(      FLAG,    "stop",             0,   0,  "",                       NULL,   0, ON(history), \
              "show the record, and stop recording") \
    OPTION(tag,     TEXT,    "tag",              0,   0,  "KEY=VALUE",              NULL,   ON(report), 0, \
              "add a column to every row; repeatable") \
    OPTION(jobs,    NUMBER,  "jobs",            'j',  0,  "N",                      NULL,   ON(report), 0, \
              "read N heaps at a time (default: number of processors)") \
    OPTION(classes, NUMBER,  "classes",          0,   0,  "N",                      NULL,   ON(report), 0, \
              "write rows of the N largest classes; 0: all (default: 100)") \
    OPTION(ndjson,  FLAG,    "ndjson",           0,   0,  "",                       NULL,   ON(report), 0, \
              "one JSON object per line (default; with --parquet: also)") \
    OPTION(parquet, FOLDER,  "parquet",          0,   0,  "DIR",                    NULL,   ON(report), 0, \
              "write rows as Parquet files into DIR, one for each kind, instead") \
    OPTION(with_values, FLAG, "with-values",     0,   0,  "",                       NULL,   ON(report), 0, \
              "also write keys in paths, names of threads and of files") \
    OPTION(grown,   TEXT,    "grown",            0,   0,  "P",                      "20%",  ON(compare), 0, \
              "call P percent more grown (default: 20%)") \
    OPTION(names,   FILE,    "names",            0,   0,  "FILE",                   NULL,   ASKED, 0, \
              "take block and capture names from a debugger (docs/cores.md)") \
    OPTION(mapping, FILE,    "mapping",          0,   0,  "FILE",                   NULL,   HEAPS, 0, \
              "take names of a Java heap from a mapping file of R8 or ProGuard") \
    OPTION(program, FILE,    "program",          0,   0,  "FILE",                   NULL,   ASKED, 0, \
              "executable of the core, if it moved") \
    OPTION(sysroot, FOLDER,  "sysroot",          0,   0,  "FOLDER",                 NULL,   ASKED | ON(report), 0, \
              "look here first for the core's libraries") \
    OPTION(debuginfod, FLAG, "debuginfod",       0,   0,  "",                       NULL,   ASKED | ON(report), 0, \
              "fetch missing files of a core from the servers of DEBUGINFOD_URLS: the build ids of its programs, private ones too, leave this machine") \
    OPTION(redact,  FLAG,    "redact",           0,  'R', "",                       NULL,   ON(snapshot), ON(snapshot), \
              "leave out strings of the program") \
    OPTION(dump,    NUMBER,  "dump",             0,   0,  "N",                      NULL,   ASKED, 0, \
              "read dump N of a file with several (default: the last)") \
    OPTION(timeout, SECONDS, "timeout",         't', 't', "SECONDS",                NULL,   ASKED | ON(report), 0, \
              "give up after SECONDS; the result is then incomplete and has no rows") \
    ONLY_SAID(      SECONDS, "timeout",         't', 't', "SECONDS",                "120",  0, HEAPS | ON(mark), \
              "give up after SECONDS (default: 120)") \
    ONLY_SAID(      SECONDS, "timeout",         't', 't', "SECONDS",                "10",   0, LAYOUTS | ON(strong_refs) | ON(allocated) | SHORT, \
              "give up after SECONDS (default: 10)") \
    ONLY_SAID(      SECONDS, "timeout",         't', 't', "SECONDS",                NULL,   0, ON(retain_cycles), \
              "give up after SECONDS (default: 10, with --all 120)") \
    OPTION(max_pause, SECONDS, "max-pause",      0,   0,  "SECONDS",                NULL,   ASKED, 0, \
              "stop a process for SECONDS at most; 0: no limit (default: 5, or LOUPE_MAX_PAUSE)") \
    OPTION(source,  FOLDER,  "source",           0,   0,  "DIR",                    ".",    ON(fix), ON(fix), \
              "look for sources in DIR (default: the working directory)") \
    OPTION(apply,   FLAG,    "apply",            0,   0,  "",                       NULL,   ON(fix), ON(fix), \
              "write the change to the source") \
    OPTION(force,   FLAG,    "force",            0,   0,  "",                       NULL,   ON(fix), ON(fix), \
              "with --apply: also where the source is newer than the answer") \
    OPTION(fix_format, ENUM, "format",           0,   0,  "diff|sarif|github-review|html", "diff",  ON(fix), 0, \
              "write fixes for editors or reviews, or a page; without FIX the first of each entry that can be written") \
    OPTION(verify,  TEXT,    "verify",           0,   0,  "COMMAND",                NULL,   ON(fix), 0, \
              "try it in a copy of what git tracks: build and run it with COMMAND, and ask again") \
    OPTION(trial_time, SECONDS, "timeout",       0,   0,  "SECONDS",                NULL,   ON(fix), 0, \
              "with --verify: end COMMAND after SECONDS (default: 600)") \
    OPTION(no_values, FLAG,  "no-values",        0,   0,  "",                       NULL,   ON(serve), 0, \
              "leave texts, numbers and keys of objects out of answers") \
    OPTION(within,  FOLDER,  "within",           0,   0,  "FOLDER",                 NULL,   ON(serve), 0, \
              "open only files in FOLDER") \
    OPTION(keep,    TEXT,    "keep",             0,   0,  "N",                      NULL,   ON(serve), 0, \
              "keep N files open, at most 16 (default: 4)") \
    OPTION(memory,  TEXT,    "memory",           0,   0,  "MB",                     NULL,   ON(serve), 0, \
              "use MB megabytes at most; 0: no limit (default: half of the machine's)") \
    OPTION(patience, TEXT,   "timeout",          0,   0,  "SECONDS",                NULL,   ON(serve), 0, \
              "give up on a question after SECONDS (default: 120)") \
    OPTION(http,    FILE,    "http",             0,   0,  "FILE",                   NULL,   ON(serve), 0, \
              "show FILE to a browser of this machine, at the address that is printed") \
    OPTION(port,    TEXT,    "port",             0,   0,  "N",                      NULL,   ON(serve), 0, \
              "with --http: listen at port N (default: any that is free)") \
    ONLY_SAID(      ENUM,    "pointer-size",     0,   0,  "4|8",                    NULL,   ON(explain), 0, \
              "pointer size of the program (default: 8)") \
    ONLY_SAID(      FLAG,    "weak",             0,   0,  "",                       NULL,   ON(explain), 0, \
              "ivar-layout: decode a weak layout") \
    ONLY_SAID(      NUMBER,  "start",            0,   0,  "OFFSET",                 NULL,   ON(explain), 0, \
              "layout, ivar-layout: the layout begins at OFFSET") \
    ONLY_SAID(      NUMBER,  "size",             0,   0,  "BYTES",                  NULL,   ON(explain), 0, \
              "encoding: size of the whole type, if known") \
    ONLY_SAID(      NUMBER,  "limit",            0,   0,  "N",                      NULL,   ON(explain), 0, \
              "encoding: show at most N members (default: 1000)") \
    ONLY_SAID(      FLAG,    "verbose",         'v', 'v', "",                       NULL,   0, QUERIES | HEAPS | ON(mark), \
              "also show slots, fingerprints, folded entries, and where an internal error came from") \
    ONLY_SAID(      FLAG,    "verbose",         'v', 'v', "",                       NULL,   0, ON(doctor), \
              "also show where the plugin and the helper are searched") \
    ONLY_SAID(      FLAG,    "verbose",         'v', 'v', "",                       NULL,   0, ON(history), \
              "show whole stacks") \
    ONLY_SAID(      FLAG,    "verbose",         'v', 'v', "",                       NULL,   0, TRACED, \
              "say where an internal error came from") \
    OPTION(color,   ENUM,    "color",            0,   0,  "auto|always|never",      "auto", ASKED, 0, \
              "color the text; auto: where it goes to a terminal, unless NO_COLOR is set (default: auto)") \
    OPTION(output,  FILE,    "output",          'o', 'o', "FILE",                   NULL,   ASKED | ON(compare) | ON(draw), QUERIES | (HEAPS & ~ON(snapshot)) | ON(backtraces) | ON(summary), \
              "write the answer to FILE") \
    OPTION(json,    FLAG,    "json",            'j', 'j', "",                       NULL,   ASKED | ON(compare) | ON(explain) | ON(fix) | ON(verbs), QUERIES | HEAPS | ON(backtraces) | ON(fix) | ON(history) | ON(summary), \
              "print one line of JSON (docs/protocol.md)") \
    OPTION(help,    FLAG,    "help",            'h', 'h', "",                       NULL,   EVERY, EVERY, \
              "show this help")
/* clang-format on */

#endif
