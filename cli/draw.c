/* loupe draw: an answer that was saved as JSON, as a page or a drawing. */
#include "cli.h"
#include "drawing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char topic[] = "draw";

static void print_help(void) {
    puts("usage: loupe draw ANSWER [options]\n"
         "\n"
         "Draws an answer that `--json` gave: of retain-cycles in lldb, of cycles, leaks, "
         "suspects,\n"
         "path and retained here. ANSWER is a file, or - for what comes in.\n"
         "\n"
         "  -o, --output FILE    write it there; .html, .dot, .sarif, .xml (of JUnit) say what\n"
         "                       it becomes\n"
         "  --format FORMAT      html, dot, github, sarif or junit, whatever the file is called\n"
         "  --append             of the last three: behind the reports that the file has\n"
         "  --title TEXT         what stands above it\n"
         "  -v, --verbose        fold nothing in a drawing\n"
         "  -h, --help           this");
}

/* ---- The line ---- */

struct draw_line {
    struct drawing drawing;
    const char *answer, *format;
    bool help;
};

/* The place of an option's value, or NULL. */
static const char **value_place(struct draw_line *line, const char *word) {
    if (strcmp(word, "-o") == 0 || strcmp(word, "--output") == 0)
        return &line->drawing.path;
    if (strcmp(word, "--format") == 0)
        return &line->format;
    return strcmp(word, "--title") == 0 ? &line->drawing.title : NULL;
}

static int take_word(struct draw_line *line, const char *word) {
    if (strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0)
        line->help = true;
    else if (strcmp(word, "-v") == 0 || strcmp(word, "--verbose") == 0)
        line->drawing.all = true;
    else if (strcmp(word, "--append") == 0)
        line->drawing.append = true;
    else if (word[0] == '-' && word[1])
        return cli_fail(CLI_NONSENSE, topic, "no option %s here (see loupe draw --help)",
                        cli_printable(loupe_span_of(word)));
    else if (line->answer)
        return cli_fail(CLI_NONSENSE, topic, "one word too many: '%s'",
                        cli_printable(loupe_span_of(word)));
    else
        line->answer = word;
    return CLI_OK;
}

static int choose_format(struct draw_line *line) {
    line->drawing.format = DRAWING_HTML;
    if (line->drawing.path && !line->format)
        line->drawing.format = drawing_format_of_file(line->drawing.path);
    if (line->format)
        line->drawing.format = drawing_format_named(line->format);
    if (line->drawing.format != DRAWING_FORMAT_COUNT)
        return CLI_OK;
    if (line->format)
        return cli_fail(CLI_NONSENSE, topic,
                        "--format takes html, dot, github, sarif or junit, not '%s'",
                        cli_printable(loupe_span_of(line->format)));
    return cli_fail(CLI_NONSENSE, topic,
                    "'%s' has to end in .html, .dot, .sarif or .xml, or say --format",
                    cli_printable(loupe_span_of(line->drawing.path)));
}

static int parse(struct draw_line *line, const char **words, unsigned count) {
    for (unsigned at = 0; at < count; at++) {
        const char **place = value_place(line, words[at]);
        if (place && at + 1 == count)
            return cli_fail(CLI_NONSENSE, topic, "%s needs a value", words[at]);
        if (place) {
            *place = words[++at];
            continue;
        }
        int status = take_word(line, words[at]);
        if (status)
            return status;
    }
    if (line->help)
        return CLI_OK;
    if (!line->answer)
        return cli_fail(CLI_NONSENSE, topic, "say which answer: loupe draw ANSWER -o OUT.html");
    return choose_format(line);
}

/* ---- The answer ---- */

enum { FIRST_ROOM = 1 << 16, LARGEST = 1 << 30 };

/* All that a file has, in memory of malloc; NULL: errno says why not. */
static char *read_all(FILE *file, size_t *size_ret) {
    size_t room = FIRST_ROOM, size = 0;
    char *bytes = malloc(room);
    while (bytes) {
        size += fread(bytes + size, 1, room - size, file);
        if (size < room)
            break;
        room *= 2;
        char *larger = room <= LARGEST ? realloc(bytes, room) : NULL;
        if (!larger) {
            free(bytes);
            errno = ENOMEM;
        }
        bytes = larger;
    }
    if (bytes && ferror(file)) {
        free(bytes);
        bytes = NULL;
    }
    *size_ret = size;
    return bytes;
}

int cli_draw(const char **words, unsigned count) {
    struct draw_line line = {.drawing = {.topic = topic}};
    int status = parse(&line, words, count);
    if (status || line.help) {
        if (line.help)
            print_help();
        return status;
    }
    bool is_input = strcmp(line.answer, "-") == 0;
    FILE *file = is_input ? stdin : fopen(line.answer, "rb");
    size_t size;
    char *bytes = file ? read_all(file, &size) : NULL;
    int problem = errno;
    if (file && !is_input)
        fclose(file);
    if (!bytes)
        return cli_fail(CLI_NONSENSE, topic, "%s cannot be read: %s",
                        cli_printable(loupe_span_of(line.answer)), strerror(problem));
    status = draw_answer((struct loupe_span){bytes, size}, &line.drawing);
    free(bytes);
    return status;
}
