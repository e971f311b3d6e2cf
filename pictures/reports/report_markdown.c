/* A summary in Markdown, as GitHub and GitLab show it beside a run: a table, then each ring as
 * drawn. */
#include "mistakes/patterns.h"
#include "pictures/reports/reports.h"
#include "answers/visible.h"

#include <string.h>

enum { MOST_FINDINGS = 50, MOST_STEPS = 12 };

struct markdown {
    struct loupe_sink sink;
    const struct report_run *run;
    enum loupe_status status;
};

static void put(struct markdown *markdown, const char *bytes, size_t length) {
    if (!markdown->status && length)
        markdown->status = markdown->sink.write(markdown->sink.ctx, bytes, length);
}

static void put_string(struct markdown *markdown, const char *text) {
    put(markdown, text, strlen(text));
}

static void put_number(struct markdown *markdown, uint64_t number) {
    char text[32];
    put(markdown, text, loupe_format(text, sizeof(text), "%llu", (unsigned long long)number));
}

/* Visible text in a paragraph, a cell or <pre>: nothing of it marks anything up. What HTML would
 * read is written as its entity, and so is what Markdown would, which shows the same everywhere. */
static void put_visible(struct markdown *markdown, struct loupe_span text) {
    static const char special[] = "&<>\"|\\`*_{}[]()#!~@$:";
    char entity[16];
    for (size_t i = 0; i < text.length; i++) {
        char c = text.bytes[i];
        if (c && strchr(special, c))
            put(markdown, entity, loupe_format(entity, sizeof(entity), "&#%u;", (unsigned)c));
        else
            put(markdown, &c, 1);
    }
}

static void put_text(struct markdown *markdown, struct loupe_span text, size_t most) {
    struct visible words = {.length = 0};
    visible_add_text(&words, text, most);
    put_visible(markdown, visible_text(&words));
}

static void put_place(struct markdown *markdown, const struct picture_finding *finding) {
    const struct picture_place *place = report_place(markdown->run, finding);
    if (!place)
        return;
    put_text(markdown, place_file(markdown->run, place), 300);
    put_string(markdown, ":");
    put_number(markdown, place->line);
}

static struct loupe_span first_change(const struct picture_finding *finding) {
    return finding->change_count ? finding->changes->text : (struct loupe_span){NULL, 0};
}

/* ---- The table ---- */

static void put_row(struct markdown *markdown, const struct picture_finding *finding) {
    static const char *const marks[] = {"note", "warning", "**error**"};
    struct visible title;
    finding_title(finding, &title);
    put_string(markdown, "| ");
    put_string(markdown, marks[finding->severity]);
    put_string(markdown, " | ");
    put_visible(markdown, visible_text(&title));
    put_string(markdown, " | ");
    put_place(markdown, finding);
    put_string(markdown, " | ");
    put_text(markdown, first_change(finding), 300);
    put_string(markdown, " |\n");
}

static void put_table(struct markdown *markdown) {
    const struct picture *picture = markdown->run->picture;
    put_string(markdown, "\n| | Finding | Where | What to change |\n| --- | --- | --- | --- |\n");
    /* Cap: and so many more. */
    for (uint32_t i = 0; i < picture->finding_count && i < MOST_FINDINGS; i++)
        put_row(markdown, &picture->findings[i]);
    if (picture->finding_count > MOST_FINDINGS) {
        put_string(markdown, "\nand ");
        put_number(markdown, picture->finding_count - MOST_FINDINGS);
        put_string(markdown, " more\n");
    }
}

/* ---- Each ring ---- */

static void put_step(struct markdown *markdown, const struct picture_arrow *arrow, bool is_cut) {
    struct visible words = {.length = 0};
    arrow_words(markdown->run->picture, arrow, &words);
    put_visible(markdown, visible_text(&words));
    put_string(markdown, is_cut ? "   &lt;- change this one\n" : "\n");
}

static bool is_cut(const struct picture_finding *finding, uint32_t arrow) {
    return finding->change_count && finding->changes->cut.count &&
           finding->changes->cut.items[0] == arrow;
}

static void put_ring(struct markdown *markdown, const struct picture_finding *finding) {
    struct picture_pieces pieces;
    const struct picture_ring *ring = finding->rings;
    enum loupe_status status =
        picture_fold(markdown->run->picture, finding, ring, MOST_STEPS, &pieces);
    if (status) {
        markdown->status = markdown->status ? markdown->status : status;
        return;
    }
    put_string(markdown, "<pre>\n");
    for (uint32_t i = 0; i < pieces.count; i++) {
        uint32_t arrow = ring->arrows.items[pieces.items[i].first];
        if (!pieces.items[i].folded) {
            put_step(markdown, &finding->arrows[arrow], is_cut(finding, arrow));
            continue;
        }
        put_string(markdown, "... ");
        put_number(markdown, pieces.items[i].folded);
        put_string(markdown, " more references\n");
    }
    put_string(markdown, "</pre>\n");
}

static void put_details(struct markdown *markdown, const struct picture_finding *finding) {
    struct visible title;
    if (!finding->ring_count || !finding->rings[0].arrows.count)
        return;
    finding_title(finding, &title);
    put_string(markdown, "\n<details><summary>");
    put_visible(markdown, visible_text(&title));
    put_string(markdown, "</summary>\n");
    put_ring(markdown, finding);
    if (finding->pattern) {
        put_text(markdown, finding->pattern->name, 200);
        put_string(markdown, ". ");
        put_text(markdown, finding->pattern->why, 1000);
        put_string(markdown, "\n");
    }
    put_string(markdown, "</details>\n");
}

static enum loupe_status write(const struct report_run *run, struct loupe_sink sink) {
    struct markdown markdown = {.sink = sink, .run = run};
    const struct picture *picture = run->picture;
    put_string(&markdown, "## Loupe: ");
    put_text(&markdown, picture->title, 200);
    put_string(&markdown, "\n");
    if (!loupe_span_equals(picture->status, "ok"))
        put_string(&markdown, "\n**Incomplete: there may be more.**\n");
    if (picture->finding_count)
        put_table(&markdown);
    /* Cap: and so many more. */
    for (uint32_t i = 0; i < picture->finding_count && i < MOST_FINDINGS; i++)
        put_details(&markdown, &picture->findings[i]);
    for (uint32_t i = 0; i < picture->note_count; i++) {
        put_string(&markdown, "\n- ");
        put_text(&markdown, picture->notes[i], 1000);
    }
    put_string(&markdown, "\n");
    return markdown.status;
}

const struct report_format report_markdown = {
    .name = "markdown", .ending = ".md", .head = "", .between = "\n", .tail = "", .write = write};
