#include "serve/tools.h"

#include "line/verb_commands.h"

#include <string.h>

/* ---- Arguments ---- */

/* Those that mean the same for every tool, or that no option of a verb is. */
static const struct tool_argument_facts own_arguments[ARGUMENT_OWN_COUNT] = {
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
    [ARGUMENT_SQL] = {.name = "sql",
                      .description = "One SELECT of SQLite over the tables that the tool's "
                                     "description names, or the name of a shipped question: "
                                     "duplicate-strings, empty-collections, packages, biggest."},
    [ARGUMENT_FINGERPRINT] = {.name = "fingerprint",
                              .description = "Fingerprint of the leak that should be fixed, as "
                                             "leaks or suspects gave it: it has to be gone."},
    [ARGUMENT_MAX_GROWTH] = {.name = "max_growth",
                             .kind = ARGUMENT_IS_NUMBER,
                             .most = TOOL_LARGEST_NUMBER,
                             .description = "Bytes by which the heap may be larger afterwards; "
                                            "without it growth is shown and not judged."},
    [ARGUMENT_FIX] = {.name = "fix",
                      .description = "A fix by the number of its entry and its letter, such as 1a; "
                                     "without it all fixes are listed."},
    [ARGUMENT_SOURCE] = {.name = "source",
                         .option = "--source",
                         .is_path = true,
                         .description = "Folder of the program's sources."},
    [ARGUMENT_LIMIT] = {.name = "limit",
                        .kind = ARGUMENT_IS_NUMBER,
                        .least = 1,
                        .most = TOOL_LARGEST_PAGE,
                        .description = "Rows of a page."},
    [ARGUMENT_CURSOR] = {.name = "cursor",
                         .description = "Where the next page begins: page.cursor of the page "
                                        "before, all other arguments the same."},
    [ARGUMENT_PROGRAM] = {.name = "program", .option = "--program", .is_path = true},
    [ARGUMENT_SYSROOT] = {.name = "sysroot", .option = "--sysroot", .is_path = true},
    [ARGUMENT_COUNT_AS] = {.name = "count_as", .option = "--count-as"},
    [ARGUMENT_TIMEOUT] = {.name = "timeout",
                          .kind = ARGUMENT_IS_NUMBER,
                          .least = 1,
                          .most = 3600,
                          .description = "Seconds after which the answer is incomplete."},
};

/* The option of a verb in a terminal that an argument is; NULL: it is none. */
static const struct verb_option *option_of(enum tool_argument argument) {
    if (argument >= ARGUMENT_OWN_COUNT)
        return &verb_options[argument - ARGUMENT_OWN_COUNT];
    const char *name = own_arguments[argument].option;
    for (const struct verb_option *option = verb_options; name && option->name; option++) {
        if (option->in_terminal && strcmp(name + 2, option->name) == 0)
            return option;
    }
    return NULL;
}

static bool is_own(const struct verb_option *option) {
    for (unsigned i = 0; i < ARGUMENT_OWN_COUNT; i++) {
        const char *name = own_arguments[i].option;
        if (name && strcmp(name + 2, option->name) == 0)
            return true;
    }
    return false;
}

static enum argument_kind kind_of(enum verb_value kind) {
    switch (kind) {
    case VALUE_FLAG:
        return ARGUMENT_IS_FLAG;
    case VALUE_COUNT:
    case VALUE_NUMBER:
    case VALUE_SECONDS:
        return ARGUMENT_IS_NUMBER;
    default:
        return ARGUMENT_IS_TEXT;
    }
}

struct tool_argument_facts tool_argument(enum tool_argument argument) {
    if (argument < ARGUMENT_OWN_COUNT)
        return own_arguments[argument];
    const struct verb_option *option = option_of(argument);
    struct tool_argument_facts facts = {.kind = kind_of(option->kind),
                                        .is_path = option->kind == VALUE_FILE ||
                                                   option->kind == VALUE_FOLDER,
                                        .least = option->kind != VALUE_NUMBER,
                                        .most = TOOL_LARGEST_NUMBER};
    loupe_format(facts.name, sizeof(facts.name), "%s", option->name);
    for (char *c = facts.name; *c; c++)
        *c = *c == '-' ? '_' : *c;
    loupe_format(facts.option, sizeof(facts.option), "--%s", option->name);
    return facts;
}

const char *tool_choices(enum tool_argument argument) {
    const struct verb_option *option = option_of(argument);
    return option && option->kind == VALUE_ENUM ? option->value : NULL;
}

/* As a sentence. */
static void put_description_of(struct loupe_json *json, enum tool_argument argument) {
    const struct verb_option *option = option_of(argument);
    const char *said = tool_argument(argument).description;
    char text[200];
    if (!said) {
        loupe_format(text, sizeof(text), "%c%s.", *option->help - 'a' + 'A', option->help + 1);
        said = text;
    }
    loupe_json_put_string(json, "description", said);
}

/* ---- Tools ---- */

static void take(struct tool *tool, enum tool_argument argument, bool is_needed) {
    tool->takes[argument] = true;
    tool->needs[argument] = is_needed;
}

static void take_files(struct tool *tool, unsigned count) {
    if (count == 1)
        take(tool, ARGUMENT_FILE, true);
    else {
        take(tool, ARGUMENT_BEFORE, true);
        take(tool, ARGUMENT_AFTER, true);
    }
}

static bool has_option(const struct tool *tool, const struct verb_option *option) {
    return option && option->in_terminal >> tool->verb_number & 1u;
}

/* What the verb takes besides its files: "FILE OBJECT". */
static void take_operand(struct tool *tool) {
    static const struct {
        const char *word;
        enum tool_argument argument;
    } operands[] = {
        {"OBJECT", ARGUMENT_OBJECT}, {"PATTERN", ARGUMENT_CLASS}, {"SELECT", ARGUMENT_SQL}};
    for (unsigned i = 0; i < sizeof(operands) / sizeof(operands[0]); i++) {
        if (strstr(tool->verb->terminal, operands[i].word))
            take(tool, operands[i].argument,
                 tool->verb->least_operands || tool->verb->tool.needs_operand);
    }
}

/* An option of a class is the argument `class` of any tool, and may stand in place of an operand.
 */
static void take_class(struct tool *tool, const struct verb_option *option) {
    take(tool, ARGUMENT_CLASS, false);
    loupe_format(tool->class_option, sizeof(tool->class_option), "--%s", option->name);
    tool->needs_subject = tool->needs[ARGUMENT_OBJECT];
    tool->needs[ARGUMENT_OBJECT] = false;
}

static void take_options(struct tool *tool) {
    for (unsigned i = 0; i < ARGUMENT_OWN_COUNT; i++) {
        if (has_option(tool, option_of((enum tool_argument)i)))
            take(tool, (enum tool_argument)i, false);
    }
    for (unsigned i = 0; i < VERB_OPTION_COUNT; i++) {
        const struct verb_option *option = &verb_options[i];
        if (!has_option(tool, option) || !(option->in_terminal & SERVED) || is_own(option))
            continue;
        if (option->kind == VALUE_CLASS)
            take_class(tool, option);
        else
            take(tool, (enum tool_argument)(ARGUMENT_OWN_COUNT + i), false);
    }
}

/* Whatever asks about a whole heap, answers in JSON and only reads. */
static bool is_tool(unsigned number) {
    return HEAPS >> number & 1u && !verbs[number]->tool.is_none;
}

static void make_tool(struct tool *tool, unsigned number) {
    const struct verb *verb = verbs[number];
    *tool = (struct tool){.name = verb->name,
                          .title = verb->tool.title ? verb->tool.title : verb->summary,
                          .description = verb->help,
                          .verb = verb,
                          .verb_number = number,
                          .list = verb->tool.list,
                          .list_of_one = verb->tool.list_of_one,
                          .page = verb->tool.page};
    take_files(tool, verb->files);
    take_operand(tool);
    take_options(tool);
    take(tool, ARGUMENT_TIMEOUT, false);
    tool->takes[ARGUMENT_LIMIT] = tool->takes[ARGUMENT_CURSOR] = tool->list;
}

static void make_open(struct tool *tool) {
    make_tool(tool, VERB_heap);
    tool->name = "open";
    tool->title = "Open a heap";
    tool->description =
        "What a heap file is and how much is in it, with its largest classes. Start "
        "here: the answer says what to ask next. The file stays open for later calls.";
    tool->page = 5;
    for (unsigned i = 0; i < ARGUMENT_COUNT; i++)
        tool->takes[i] = i == ARGUMENT_FILE || i == ARGUMENT_PROGRAM || i == ARGUMENT_SYSROOT ||
                         i == ARGUMENT_TIMEOUT;
}

static void make_before_after(struct tool *tool) {
    *tool = (struct tool){
        .name = "before_after",
        .title = "Did the fix work",
        .description = "Compares the leaks (of Java heaps the suspects) and the size of a heap "
                       "from before a fix with one from after it, made at the same point of the "
                       "program. Verdict pass or fail, with reasons."};
    static const enum tool_argument taken[] = {ARGUMENT_FINGERPRINT, ARGUMENT_MAX_GROWTH,
                                               ARGUMENT_PROGRAM, ARGUMENT_SYSROOT,
                                               ARGUMENT_TIMEOUT};
    take_files(tool, 2);
    for (unsigned i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
        take(tool, taken[i], false);
}

static void make_propose_patch(struct tool *tool) {
    *tool = (struct tool){
        .name = "propose_patch",
        .title = "A patch for a leak",
        .description = "The patch of the source for one fix of a leak of an Objective-C heap, as "
                       "git apply takes it, with what it rests on and what to look at before "
                       "taking it. Nothing is written. Entries are those of leaks, in its order.",
        .verb = &verb_fix,
        .verb_number = VERB_fix,
        .has_whole_texts = true};
    take_files(tool, 1);
    take(tool, ARGUMENT_SOURCE, true);
    take(tool, ARGUMENT_FIX, false);
    take(tool, ARGUMENT_PROGRAM, false);
    take(tool, ARGUMENT_SYSROOT, false);
    take(tool, ARGUMENT_TIMEOUT, false);
}

enum { TOOL_COUNT = VERB_COUNT + 3 };

/* The tools in their order: what opens, the verbs, what is made of several. False: of that number
 * there is none. */
static bool make_numbered(unsigned number, struct tool *ret) {
    if (number == 0)
        make_open(ret);
    else if (number == TOOL_COUNT - 1)
        make_before_after(ret);
    else if (number == TOOL_COUNT - 2)
        make_propose_patch(ret);
    else if (is_tool(number - 1))
        make_tool(ret, number - 1);
    else
        return false;
    return true;
}

bool tool_named(struct loupe_span name, struct tool *ret) {
    for (unsigned i = 0; i < TOOL_COUNT; i++) {
        if (make_numbered(i, ret) && loupe_span_equals(name, ret->name))
            return true;
    }
    return false;
}

void tool_name_arguments(const struct tool *tool, char *dst, size_t cap) {
    size_t used = 0;
    dst[0] = '\0';
    for (unsigned i = 0; i < ARGUMENT_COUNT; i++) {
        if (tool->takes[i])
            used += loupe_format(dst + used, cap - used, "%s%s%s", used ? ", " : "",
                                 tool_argument((enum tool_argument)i).name,
                                 tool->needs[i] ? "" : " (optional)");
    }
}

/* ---- tools/list ---- */

/* The first paragraph. */
static void put_description(struct loupe_json *json, const struct tool *tool) {
    const char *text = tool->description, *end = strstr(text, "\n\n");
    loupe_json_key(json, "description");
    loupe_json_span(json, (struct loupe_span){text, end ? (size_t)(end - text) : strlen(text)});
}

static void put_argument(struct loupe_json *json, const struct tool *tool,
                         enum tool_argument argument) {
    static const char *const types[] = {[ARGUMENT_IS_TEXT] = "string",
                                        [ARGUMENT_IS_NUMBER] = "integer",
                                        [ARGUMENT_IS_FLAG] = "boolean"};
    const struct tool_argument_facts facts = tool_argument(argument);
    loupe_json_key(json, facts.name);
    loupe_json_begin_object(json);
    loupe_json_put_string(json, "type", types[facts.kind]);
    put_description_of(json, argument);
    if (argument == ARGUMENT_OBJECT)
        loupe_json_put_string(json, "pattern", "^0x[0-9a-fA-F]{1,16}$");
    if (argument == ARGUMENT_FIX)
        loupe_json_put_string(json, "pattern", "^[0-9]{1,6}[a-z]$");
    if (argument == ARGUMENT_FINGERPRINT)
        loupe_json_put_string(json, "pattern", "^[0-9a-f]{16}$");
    if (argument == ARGUMENT_LIMIT)
        loupe_json_put_uint(json, "default", tool->page);
    if (facts.kind == ARGUMENT_IS_NUMBER) {
        loupe_json_put_uint(json, "minimum", facts.least);
        loupe_json_put_uint(json, "maximum", facts.most);
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
        if (tool->takes[i])
            put_argument(json, tool, (enum tool_argument)i);
    }
    loupe_json_end_object(json);
    loupe_json_key(json, "required");
    loupe_json_begin_array(json);
    for (unsigned i = 0; i < ARGUMENT_COUNT; i++) {
        if (tool->needs[i])
            loupe_json_string(json, tool_argument((enum tool_argument)i).name);
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

static void put_tool(struct loupe_json *json, const struct tool *tool, bool with_annotations,
                     bool with_output) {
    loupe_json_begin_object(json);
    loupe_json_put_string(json, "name", tool->name);
    if (with_output)
        loupe_json_put_string(json, "title", tool->title);
    put_description(json, tool);
    put_input(json, tool);
    if (with_output)
        put_output(json);
    if (with_annotations)
        put_annotations(json, tool);
    loupe_json_end_object(json);
}

void tools_list(struct loupe_json *json, bool with_annotations, bool with_output) {
    struct tool tool;
    loupe_json_key(json, "tools");
    loupe_json_begin_array(json);
    for (unsigned i = 0; i < TOOL_COUNT; i++) {
        if (make_numbered(i, &tool))
            put_tool(json, &tool, with_annotations, with_output);
    }
    loupe_json_end_array(json);
}
