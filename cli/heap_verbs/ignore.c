/* loupe ignore: writes the baseline line of one finding. */
#define _POSIX_C_SOURCE 200809L /* localtime_r() */

#include "shared/cli.h"
#include "cycles/knots/fingerprint.h"
#include "heaps/handles.h"
#include "heaps/heap_gates.h"
#include "shared/new_file.h"
#include "line/verb_commands.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FINGERPRINT_DIGITS = 16, LONGEST_DATE = 16, LONGEST_REASON = 120 };

static bool is_fingerprint(const char *word, uint64_t *ret) {
    if (strlen(word) != FINGERPRINT_DIGITS ||
        strspn(word, "0123456789abcdef") != FINGERPRINT_DIGITS)
        return false;
    *ret = strtoull(word, NULL, 16);
    return true;
}

static int find_finding(const char *word, uint64_t *ret) {
    struct handle handle = {.fingerprint = 0};
    uint64_t number;
    if (is_fingerprint(word, ret))
        return CLI_OK;
    const char *problem = handles_is_one(word, &number)
                              ? handles_find(NULL, number, &handle)
                              : "it is neither a number nor a fingerprint";
    if (!problem && !handle.fingerprint)
        problem = "it has no fingerprint";
    if (problem)
        return cli_fail(CLI_NONSENSE, "ignore", "'%s' names no finding: %s",
                        cli_printable(loupe_span_of(word)), problem);
    *ret = handle.fingerprint;
    return CLI_OK;
}

/* Each line of the file, but one of this finding, which is written anew. */
static void copy_others(FILE *from, FILE *to, const char *fingerprint) {
    bool starts_line = true, drops = false;
    int byte;
    while ((byte = fgetc(from)) != EOF) {
        if (starts_line) {
            char start[FINGERPRINT_DIGITS];
            start[0] = (char)byte;
            size_t more = fread(start + 1, 1, sizeof(start) - 1, from);
            drops = more == sizeof(start) - 1 && !memcmp(start, fingerprint, sizeof(start));
            fseek(from, -(long)more, SEEK_CUR);
        }
        if (!drops)
            fputc(byte, to);
        starts_line = byte == '\n';
    }
    if (!starts_line && !drops)
        fputc('\n', to);
}

static const char *add_line(const char *path, const char *fingerprint, const char *because) {
    char *beside = malloc(strlen(path) + NEW_FILE_ENDING), date[LONGEST_DATE];
    struct tm today;
    time_t now = time(NULL);
    FILE *to = beside ? new_file_beside(path, beside) : NULL;
    FILE *from = to ? fopen(path, "rb") : NULL;
    if (!to) {
        free(beside);
        return strerror(errno);
    }
    localtime_r(&now, &today);
    strftime(date, sizeof(date), "%Y-%m-%d", &today);
    if (from)
        copy_others(from, to, fingerprint);
    else
        fputs(HEAP_BASELINE_HEADING, to);
    if (from)
        fclose(from);
    fprintf(to, "%s  # %s %s\n", fingerprint, date, cli_printable(loupe_span_of(because)));
    bool failed = ferror(to);
    failed = fclose(to) || failed || rename(beside, path);
    if (failed)
        remove(beside);
    free(beside);
    return failed ? strerror(errno) : NULL;
}

int cli_ignore(const char **words, unsigned count) {
    const struct verb *verb = verb_named("ignore");
    struct verb_line line = {.word_count = 0};
    char text[LOUPE_FINGERPRINT_TEXT];
    uint64_t fingerprint = 0;
    int status = verb_take_line(verb, words, count, 1, &line);
    if (status)
        return status;
    if (line.values.help) {
        verb_print_help(verb);
        return CLI_OK;
    }
    if (!line.word_count)
        return verb_fail_missing(verb, 0);
    if (!line.values.because)
        return cli_fail(CLI_NONSENSE, "ignore",
                        "missing --because TEXT (such as 'lives as long as the app')");
    if (strlen(line.values.because) > LONGEST_REASON)
        return cli_fail(CLI_NONSENSE, "ignore",
                        "a reason has at most %d bytes: put the rest where it "
                        "is read with the code",
                        LONGEST_REASON);
    status = find_finding(line.words[0], &fingerprint);
    if (status)
        return status;
    const char *path = line.values.ignored_in ? line.values.ignored_in : ".loupe-baseline";
    loupe_fingerprint_text(fingerprint, text);
    const char *problem = add_line(path, text, line.values.because);
    if (problem)
        return cli_fail(CLI_FAILURE, "ignore", "%s cannot be written: %s",
                        cli_printable(loupe_span_of(path)), problem);
    printf("%s is in %s now: give it as --baseline %s\n", text, cli_printable(loupe_span_of(path)),
           cli_printable(loupe_span_of(path)));
    return CLI_OK;
}
