/* Lines of filters: those of filter_lines.txt, which lldb_commands/reporting/filters.py reads, too.
 */
#include "graph/filter_line.h"
#include "check.h"

#include <stdio.h>
#include <string.h>

static void show(const struct loupe_filter_line *line, char *dst, size_t cap) {
    dst[0] = '\0';
    if (line->reason.length)
        loupe_format(dst, cap, "%.*s|%.*s|%.*s|%.*s", (int)line->source.length, line->source.bytes,
                     (int)line->path.length, line->path.bytes, (int)line->target.length,
                     line->target.bytes, (int)line->reason.length, line->reason.bytes);
}

static void check_line(char *line) {
    char *tab = strchr(line, '\t'), shown[300];
    struct loupe_filter_line filter;
    CHECK(tab);
    const char *wrong =
        loupe_filter_line_read((struct loupe_span){line, (size_t)(tab - line)}, &filter);
    show(&filter, shown, sizeof(shown));
    if (wrong)
        CHECK(tab[1] && strncmp(wrong, tab + 1, strlen(tab + 1)) == 0);
    else
        CHECK_STR(shown, tab + 1);
}

static void test_lines(void) {
    char line[300];
    unsigned count = 0;
    FILE *file = fopen(FILTER_LINES, "r");
    CHECK(file);
    CHECK(fgets(line, sizeof(line), file)); /* the heading */
    while (fgets(line, sizeof(line), file)) {
        line[strcspn(line, "\n")] = '\0';
        check_line(line);
        count++;
    }
    CHECK(count > 20);
    fclose(file);
}

/* A tab is a space, too, and no byte is one too many. */
static void test_bytes(void) {
    static const char text[] = "Cache\t# why";
    struct loupe_filter_line filter;
    CHECK(!loupe_filter_line_read(loupe_span_of(text), &filter));
    CHECK(loupe_span_equals(filter.source, "Cache"));
    for (size_t length = 0; length < sizeof(text); length++)
        loupe_filter_line_read((struct loupe_span){text, length}, &filter);
}

int main(void) {
    RUN(test_lines);
    RUN(test_bytes);
    return check_report();
}
