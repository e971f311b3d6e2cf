/* loupe draw: an answer that was saved as JSON, as a page or a drawing. */
#include "shared/cli.h"
#include "draw/drawing.h"
#include "line/verb_commands.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char topic[] = "draw";

/* ---- The line ---- */

struct draw_line {
    struct drawing drawing;
    const char *answer, *format;
    bool help;
};

static int choose_format(struct draw_line *line) {
    line->drawing.format = DRAWING_HTML;
    if (line->drawing.path && !line->format)
        line->drawing.format = drawing_format_of_file(line->drawing.path);
    if (line->format)
        line->drawing.format = drawing_format_named(line->format);
    if (line->drawing.format != DRAWING_FORMAT_COUNT)
        return CLI_OK;
    if (line->format)
        return cli_fail(
            CLI_NONSENSE, topic,
            "--format takes html, dot, github, gitlab, markdown, sarif or junit, not '%s'",
            cli_printable(loupe_span_of(line->format)));
    return cli_fail(CLI_NONSENSE, topic,
                    "'%s' has to end in .html, .dot, .sarif, .xml or .md, or say --format",
                    cli_printable(loupe_span_of(line->drawing.path)));
}

static int parse(struct draw_line *line, const char **words, unsigned count) {
    struct verb_line given = {.word_count = 0};
    int status = verb_take_line(&verb_draw, words, count, 1, &given);
    const struct verb_values *values = &given.values;
    *line = (struct draw_line){.drawing = {.topic = topic,
                                           .path = values->output,
                                           .title = values->title,
                                           .all = values->verbose,
                                           .append = values->append,
                                           .anchor = values->anchor},
                               .answer = given.words[0],
                               .format = values->format,
                               .help = values->help};
    if (status || line->help)
        return status;
    if (!line->answer)
        return verb_fail_missing(&verb_draw, 0);
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
    struct draw_line line;
    int status = parse(&line, words, count);
    if (status || line.help) {
        if (line.help)
            verb_print_help(&verb_draw);
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
        return cli_fail(CLI_NONSENSE, topic, "%s: %s", cli_printable(loupe_span_of(line.answer)),
                        strerror(problem));
    line.drawing.input = line.answer;
    status = draw_answer((struct loupe_span){bytes, size}, &line.drawing);
    free(bytes);
    return status;
}
