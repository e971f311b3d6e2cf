#include "serve/tools.h"

#include "verb_commands.h"

#include <string.h>

#define BIT(argument) (1u << ARGUMENT_##argument)

enum {
    OPENING = BIT(PROGRAM) | BIT(SYSROOT) | BIT(TIMEOUT),
    PAGING = BIT(LIMIT) | BIT(CURSOR),
    ONE_FILE = BIT(FILE) | OPENING | PAGING,
    TWO_FILES = BIT(BEFORE) | BIT(AFTER) | OPENING
};

const struct tool_argument_facts tool_arguments[ARGUMENT_COUNT] = {
    [ARGUMENT_FILE] =
        {.name = "file",
         .is_path = true,
         .description = "Path of a heap: a .loupe snapshot, an ELF or Mach-O core, a "
                        "Java or Android heap dump (.hprof); these also packed by gzip or zstd."},
    [ARGUMENT_BEFORE] = {.name = "before",
                         .is_path = true,
                         .description = "Path of the earlier heap, of any kind that file takes."},
    [ARGUMENT_AFTER] = {.name = "after",
                        .is_path = true,
                        .description = "Path of the later heap, of the same kind."},
    [ARGUMENT_OBJECT] = {.name = "object",
                         .description =
                             "Address of an object, as other answers give it: 0x7f12a0."},
    [ARGUMENT_CLASS] = {.name = "class",
                        .description = "Name of a class, whole; * stands for any text."},
    [ARGUMENT_SUBCLASSES] = {.name = "subclasses",
                             .kind = ARGUMENT_IS_FLAG,
                             .option = "--subclasses"},
    [ARGUMENT_SORT] = {.name = "sort", .option = "--sort"},
    [ARGUMENT_COUNT_AS] = {.name = "count_as", .option = "--count-as"},
    [ARGUMENT_SQL] = {.name = "sql",
                      .description = "One SELECT of SQLite over the tables that the tool's "
                                     "description names, or the name of a shipped question: "
                                     "duplicate-strings, empty-collections, packages, biggest."},
    [ARGUMENT_FINGERPRINT] = {.name = "fingerprint",
                              .description = "Fingerprint of the leak that should be fixed, as "
                                             "leaks or suspects gave it: it has to be gone."},
    [ARGUMENT_MAX_GROWTH] = {.name = "max_growth",
                             .kind = ARGUMENT_IS_NUMBER,
                             .most = ((uint64_t)1 << 53) - 1,
                             .description = "Bytes by which the heap may be larger afterwards; "
                                            "without it growth is shown and not judged."},
    [ARGUMENT_LIMIT] = {.name = "limit",
                        .kind = ARGUMENT_IS_NUMBER,
                        .most = TOOL_LARGEST_PAGE,
                        .description = "Rows of a page."},
    [ARGUMENT_CURSOR] = {.name = "cursor",
                         .description = "Where the next page begins: page.cursor of the page "
                                        "before, all other arguments the same."},
    [ARGUMENT_PROGRAM] = {.name = "program", .option = "--program", .is_path = true},
    [ARGUMENT_SYSROOT] = {.name = "sysroot", .option = "--sysroot", .is_path = true},
    [ARGUMENT_TIMEOUT] = {.name = "timeout",
                          .kind = ARGUMENT_IS_NUMBER,
                          .most = 3600,
                          .description = "Seconds after which the answer is incomplete."},
};

static const struct tool tools[] = {
    {.name = "open",
     .title = "Open a heap",
     .description = "What a heap file is and how much is in it, with its largest classes. Start "
                    "here: the answer says what to ask next. The file stays open for later calls.",
     .verb = "heap",
     .takes = ONE_FILE & ~PAGING,
     .needs = BIT(FILE),
     .list = "classes",
     .page = 5},
    {.name = "heap",
     .title = "Heap by class",
     .verb = "heap",
     .takes = ONE_FILE | BIT(SORT) | BIT(CLASS) | BIT(COUNT_AS),
     .needs = BIT(FILE),
     .class_option = "--class",
     .list = "classes",
     .page = 30},
    {.name = "leaks",
     .title = "Leaks",
     .verb = "leaks",
     .takes = ONE_FILE | BIT(CLASS),
     .needs = BIT(FILE),
     .class_option = "--class",
     .list = "leaks",
     .page = 10},
    {.name = "suspects",
     .title = "Objects that should be gone",
     .verb = "suspects",
     .takes = ONE_FILE | BIT(COUNT_AS),
     .needs = BIT(FILE),
     .list = "suspects",
     .page = 10},
    {.name = "cycles",
     .title = "Retain cycles",
     .verb = "cycles",
     .takes = ONE_FILE | BIT(OBJECT),
     .needs = BIT(FILE),
     .list = "knots",
     .page = 10},
    {.name = "find",
     .title = "Instances of a class",
     .verb = "find",
     .takes = ONE_FILE | BIT(CLASS) | BIT(SUBCLASSES) | BIT(COUNT_AS),
     .needs = BIT(FILE) | BIT(CLASS),
     .list = "objects",
     .page = 30},
    {.name = "show",
     .title = "What is in an object",
     .verb = "show",
     .takes = ONE_FILE | BIT(OBJECT) | BIT(COUNT_AS),
     .needs = BIT(FILE) | BIT(OBJECT),
     .list = "items",
     .page = 30},
    {.name = "threads",
     .title = "Threads with their stacks and variables",
     .verb = "threads",
     .takes = ONE_FILE,
     .needs = BIT(FILE),
     .list = "threads",
     .page = 5},
    {.name = "sql",
     .title = "Questions in SQL",
     .verb = "sql",
     .takes = ONE_FILE | BIT(SQL),
     .needs = BIT(FILE) | BIT(SQL),
     .list = "rows",
     .page = 50},
    {.name = "path",
     .title = "Why is it alive",
     .verb = "path",
     .takes = ONE_FILE | BIT(OBJECT) | BIT(CLASS) | BIT(COUNT_AS),
     .needs = BIT(FILE),
     .class_option = "--to-class",
     .list = "paths",
     .page = 3,
     .needs_subject = true},
    {.name = "retained",
     .title = "What keeps memory alive",
     .verb = "retained",
     .takes = ONE_FILE | BIT(OBJECT) | BIT(COUNT_AS),
     .needs = BIT(FILE),
     .list = "dominators",
     .list_of_one = "dominated",
     .page = 20},
    {.name = "diff",
     .title = "What grew",
     .verb = "diff",
     .takes = TWO_FILES | PAGING | BIT(CLASS),
     .needs = BIT(BEFORE) | BIT(AFTER),
     .class_option = "--class",
     .list = "classes",
     .page = 20},
    {.name = "before_after",
     .title = "Did the fix work",
     .description = "Compares the leaks (of Java heaps the suspects) and the size of a heap from "
                    "before a fix with one from after it, made at the same point of the program. "
                    "Verdict pass or fail, with reasons.",
     .takes = TWO_FILES | BIT(FINGERPRINT) | BIT(MAX_GROWTH),
     .needs = BIT(BEFORE) | BIT(AFTER)},
};

enum { TOOL_COUNT = sizeof(tools) / sizeof(tools[0]) };

const struct tool *tool_named(struct loupe_span name) {
    for (unsigned i = 0; i < TOOL_COUNT; i++) {
        if (loupe_span_equals(name, tools[i].name))
            return &tools[i];
    }
    return NULL;
}

void tool_name_arguments(const struct tool *tool, char *dst, size_t cap) {
    size_t used = 0;
    dst[0] = '\0';
    for (unsigned i = 0; i < ARGUMENT_COUNT; i++) {
        if (tool_takes(tool, (enum tool_argument)i))
            used +=
                loupe_format(dst + used, cap - used, "%s%s%s", used ? ", " : "",
                             tool_arguments[i].name, tool->needs >> i & 1u ? "" : " (optional)");
    }
}

/* ---- What the table of verbs says ---- */

static const struct verb_option *option_of(enum tool_argument argument) {
    const char *name = tool_arguments[argument].option;
    for (const struct verb_option *option = verb_options; name && option->name; option++) {
        if (option->in_terminal && strcmp(name + 2, option->name) == 0)
            return option;
    }
    return NULL;
}

const char *tool_choices(enum tool_argument argument) {
    const struct verb_option *option = option_of(argument);
    return option && option->kind == VALUE_ENUM ? option->value : NULL;
}

/* As a sentence. */
static void put_description_of(struct loupe_json *json, enum tool_argument argument) {
    const struct verb_option *option = option_of(argument);
    const char *said = tool_arguments[argument].description;
    char text[200];
    if (!said) {
        loupe_format(text, sizeof(text), "%c%s.", *option->help - 'a' + 'A', option->help + 1);
        said = text;
    }
    loupe_json_put_string(json, "description", said);
}

static void put_description(struct loupe_json *json, const struct tool *tool) {
    const char *text = tool->description ? tool->description : verb_named(tool->verb)->help;
    const char *end = strstr(text, "\n\n");
    loupe_json_key(json, "description");
    loupe_json_span(json, (struct loupe_span){text, end ? (size_t)(end - text) : strlen(text)});
}

/* ---- tools/list ---- */

static void put_argument(struct loupe_json *json, const struct tool *tool,
                         enum tool_argument argument) {
    static const char *const types[] = {[ARGUMENT_IS_TEXT] = "string",
                                        [ARGUMENT_IS_NUMBER] = "integer",
                                        [ARGUMENT_IS_FLAG] = "boolean"};
    const struct tool_argument_facts *facts = &tool_arguments[argument];
    loupe_json_key(json, facts->name);
    loupe_json_begin_object(json);
    loupe_json_put_string(json, "type", types[facts->kind]);
    put_description_of(json, argument);
    if (argument == ARGUMENT_OBJECT)
        loupe_json_put_string(json, "pattern", "^0x[0-9a-fA-F]{1,16}$");
    if (argument == ARGUMENT_FINGERPRINT)
        loupe_json_put_string(json, "pattern", "^[0-9a-f]{16}$");
    if (argument == ARGUMENT_LIMIT)
        loupe_json_put_uint(json, "default", tool->page);
    if (facts->kind == ARGUMENT_IS_NUMBER) {
        loupe_json_put_uint(json, "minimum", argument == ARGUMENT_MAX_GROWTH ? 0 : 1);
        loupe_json_put_uint(json, "maximum", facts->most);
    }
    if (tool_choices(argument))
        verb_put_words(json, "enum", tool_choices(argument), '|');
    loupe_json_end_object(json);
}

static void put_input(struct loupe_json *json, const struct tool *tool) {
    loupe_json_key(json, "inputSchema");
    loupe_json_begin_object(json);
    loupe_json_put_string(json, "type", "object");
    loupe_json_key(json, "properties");
    loupe_json_begin_object(json);
    for (unsigned i = 0; i < ARGUMENT_COUNT; i++) {
        if (tool_takes(tool, (enum tool_argument)i))
            put_argument(json, tool, (enum tool_argument)i);
    }
    loupe_json_end_object(json);
    loupe_json_key(json, "required");
    loupe_json_begin_array(json);
    for (unsigned i = 0; i < ARGUMENT_COUNT; i++) {
        if (tool->needs >> i & 1u)
            loupe_json_string(json, tool_arguments[i].name);
    }
    loupe_json_end_array(json);
    loupe_json_put_bool(json, "additionalProperties", false);
    loupe_json_end_object(json);
}

/* What comes back, as docs/serve.md has it. The lists that an answer has besides are by its verb.
 */
static const char output_schema[] =
    "{\"type\":\"object\",\"properties\":{"
    "\"answer\":{\"type\":\"object\",\"description\":\"The answer of `loupe VERB --json`, "
    "docs/protocol.md; its list is cut to the page.\",\"properties\":{"
    "\"loupe\":{\"const\":1},\"query\":{\"type\":\"string\"},"
    "\"status\":{\"enum\":[\"ok\",\"incomplete\",\"error\"]},"
    "\"abi\":{\"type\":[\"string\",\"null\"]},\"pointer_size\":{\"type\":[\"integer\",\"null\"]},"
    "\"error\":{\"type\":\"object\",\"properties\":{\"code\":{\"type\":\"string\"},"
    "\"message\":{\"type\":\"string\"}},\"required\":[\"code\",\"message\"]}},"
    "\"required\":[\"query\",\"status\"]},"
    "\"page\":{\"type\":\"object\",\"description\":\"Which rows of which list these are; cursor of "
    "the next "
    "page.\",\"properties\":{\"list\":{\"type\":\"string\"},\"first\":{\"type\":\"integer\","
    "\"minimum\":0},"
    "\"shown\":{\"type\":\"integer\",\"minimum\":0},\"has_more\":{\"type\":\"boolean\"},"
    "\"cursor\":{\"type\":\"string\"}},\"required\":[\"list\",\"first\",\"shown\",\"has_more\"],"
    "\"additionalProperties\":false},"
    "\"left_out\":{\"type\":\"array\",\"description\":\"Lists and texts of the answer that were "
    "cut, and by how "
    "much.\",\"items\":{\"type\":\"object\",\"properties\":{\"where\":{\"type\":\"string\"},"
    "\"values\":{\"type\":\"integer\"},\"bytes\":{\"type\":\"integer\"}},\"required\":[\"where\"],"
    "\"additionalProperties\":false}},"
    "\"notes\":{\"type\":\"array\",\"description\":\"What is missing of the file.\","
    "\"items\":{\"type\":\"string\"}},"
    "\"next\":{\"type\":\"array\",\"description\":\"Calls that make sense next, ready to be "
    "made.\","
    "\"items\":{\"type\":\"object\",\"properties\":{\"tool\":{\"type\":\"string\"},"
    "\"why\":{\"type\":\"string\"},\"arguments\":{\"type\":\"object\"}},"
    "\"required\":[\"tool\",\"why\",\"arguments\"],\"additionalProperties\":false}},"
    "\"commands\":{\"type\":\"array\",\"description\":\"The same questions in a terminal, word by "
    "word.\","
    "\"items\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}}},"
    "\"required\":[\"answer\",\"left_out\",\"notes\",\"next\",\"commands\"],"
    "\"additionalProperties\":false}";

static void put_output(struct loupe_json *json) {
    loupe_json_key(json, "outputSchema");
    loupe_json_value(json, loupe_span_of(output_schema));
}

/* Nothing that a tool does changes anything, and none talks to anybody. */
static void put_annotations(struct loupe_json *json, const struct tool *tool) {
    loupe_json_key(json, "annotations");
    loupe_json_begin_object(json);
    loupe_json_put_string(json, "title", tool->title);
    loupe_json_put_bool(json, "readOnlyHint", true);
    loupe_json_put_bool(json, "destructiveHint", false);
    loupe_json_put_bool(json, "idempotentHint", true);
    loupe_json_put_bool(json, "openWorldHint", false);
    loupe_json_end_object(json);
}

void tools_list(struct loupe_json *json, bool with_annotations, bool with_output) {
    loupe_json_key(json, "tools");
    loupe_json_begin_array(json);
    for (unsigned i = 0; i < TOOL_COUNT; i++) {
        loupe_json_begin_object(json);
        loupe_json_put_string(json, "name", tools[i].name);
        if (with_output)
            loupe_json_put_string(json, "title", tools[i].title);
        put_description(json, &tools[i]);
        put_input(json, &tools[i]);
        if (with_output)
            put_output(json);
        if (with_annotations)
            put_annotations(json, &tools[i]);
        loupe_json_end_object(json);
    }
    loupe_json_end_array(json);
}
