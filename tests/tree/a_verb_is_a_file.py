"""A verb is a file and a line, an option a line: adds both to a copy of the tree, builds the tool there, and finds them
in everything that is made of the table of verbs, the server's tools with it. No other file of the copy is touched.

usage: a_verb_is_a_file.py CMAKE NINJA SOURCE_DIR WORK_DIR
"""
import filecmp
import json
import pathlib
import re
import shutil
import subprocess
import sys
from typing import Set

from client import Client

WRITTEN = {"docs/commands.md", "lldb_commands/verbs.json"}  # by write_verbs
OBJECTS = 20  # in the heap that is asked about
VERB = """/* How many objects there are. */
#include "heaps/heap_verb.h"

#include <inttypes.h>
#include <stdio.h>

static void put(uint32_t objects) {
    struct loupe_json json;
    loupe_json_init(&json, cli_answer_sink());
    loupe_json_begin_object(&json);
    loupe_json_put_uint(&json, "loupe", 1);
    loupe_json_put_string(&json, "query", "count");
    loupe_json_put_string(&json, "status", "ok");
    loupe_json_put_uint(&json, "objects", objects);
    loupe_json_end_object(&json);
    loupe_json_finish(&json);
    cli_end_answer();
}

static int count(struct heap_query *query) {
    uint32_t objects = query->snapshot->columns.nodes / (query->options.halved ? 2 : 1);
    int status = heap_begin_output(query);
    if (!status && query->options.json)
        put(objects);
    else if (!status)
        printf("%" PRIu32 "\\n", objects);
    return status;
}

const struct verb verb_count = {
    .name = "count",
    .summary = "how many objects there are",
    .help = "Counts all objects of a heap.",
    .terminal = "FILE",
    .lldb = "",
    .needs = "file",
    .keys = "",
    .next = "heap",
    .run = count,
    .files = 1,
};
"""
OPTION = """    OPTION(halved, FLAG, "halved", 0, 'H', "", NULL, ON(count) | SERVED, ON(count), "half of them") \\
"""


def add_line(path: pathlib.Path, before: str, line: str) -> None:
    text, count = re.subn(f"^(?=    {re.escape(before)})", lambda _: line, path.read_text(encoding="utf-8"), count=1,
                          flags=re.M)
    assert count == 1, f"{path} has no line that begins with {before}"
    path.write_text(text, encoding="utf-8")


def differing(one: pathlib.Path, other: pathlib.Path) -> Set[str]:
    """Files of one that are not the same in the other."""
    return {str(path.relative_to(one)) for path in one.rglob("*") if path.is_file() and "__pycache__" not in path.parts
            and not ((other / path.relative_to(one)).exists()
                     and filecmp.cmp(path, other / path.relative_to(one), shallow=False))}


def main() -> None:
    cmake, ninja, source, work = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), pathlib.Path(sys.argv[4])
    shutil.rmtree(work, ignore_errors=True)
    copy, tree = work / "source", work / "tree"
    shutil.copytree(source, copy, ignore=shutil.ignore_patterns("build*", ".git", "__pycache__", ".mypy_cache"))
    (copy / "verbs" / "heap" / "count.c").write_text(VERB, encoding="utf-8")
    add_line(copy / "verbs" / "list.h", "VERB(snapshot,", "    VERB(count, HEAP) \\\n")
    add_line(copy / "verbs" / "options.h", "OPTION(depth,", OPTION)
    for command in ([cmake, "-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={ninja}", "-S", copy, "-B", tree,
                     "-DLOUPE_BUILD_TESTS=OFF", "-DCMAKE_BUILD_TYPE=Debug"],
                    [ninja, "-C", tree, "loupe", "write_verbs"]):
        done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        assert not done.returncode, done.stdout
    assert differing(copy, source) == WRITTEN | {"verbs/heap/count.c", "verbs/list.h", "verbs/options.h"}, \
        differing(copy, source)

    def said(*words: object) -> str:
        return subprocess.check_output([str(tree / "cli" / "loupe"), *map(str, words)], text=True)

    heap = source / "tests" / "cli" / "older" / "java.loupe"
    assert said("count", heap) == f"{OBJECTS}\n"
    assert said("count", heap, "--halved") == f"{OBJECTS // 2}\n"
    assert "  count FILE" in said("--help")
    assert "  --halved  " in said("help", "count")
    assert said("completion", "offers", "cou").startswith("count\t")
    assert said("completion", "offers", "count", "x", "--hal").startswith("--halved\t")
    with Client(str(tree / "cli" / "loupe")) as client:
        [tool] = [tool for tool in client.request("tools/list")["tools"] if tool["name"] == "count"]
        assert tool["description"] == "Counts all objects of a heap." and tool["inputSchema"]["required"] == ["file"]
        for arguments, objects in (({}, OBJECTS), ({"halved": True}, OBJECTS // 2)):
            content = client.call("count", file=str(heap), **arguments)
            assert content["answer"]["objects"] == objects, content
            assert [step["tool"] for step in content["next"]] == ["heap"]
    [verb] = [verb for verb in json.loads((copy / "lldb_commands" / "verbs.json").read_text(encoding="utf-8"))["verbs"]
              if verb["name"] == "count"]
    assert verb["lldb"]["command"] == "loupe count"
    for host in ("lldb", "terminal"):
        assert "halved" in {option["name"] for option in verb[host]["options"]}
    assert "### count" in (copy / "docs" / "commands.md").read_text(encoding="utf-8")
    shutil.rmtree(work)


main()
