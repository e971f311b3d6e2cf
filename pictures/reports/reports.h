/*
 * reports.h - findings for machines that watch other machines: annotations of GitHub, code quality
 * of GitLab, SARIF 2.1.0, JUnit's XML, and a summary in Markdown for the people who look there.
 *
 * A report is a head, runs with something between them, and a tail, so that the runs of a day can
 * follow each other in one file.
 */
#ifndef LOUPE_PICTURES_REPORTS_H
#define LOUPE_PICTURES_REPORTS_H

#include "base/json.h"
#include "pictures/picture.h"

struct report_run {
    const struct picture *picture;
    struct loupe_span folder; /* files below it are called by their path from there; may be empty */
    const char *version;      /* of this program */
    const char *docs;         /* URL of the folder of its pages */
    /* For findings whose line is not known: what the user named, and the program or file that was
     * asked about. Without a file where there is none. */
    struct picture_place anchor, program;
    unsigned number; /* of the run among those of its file, from 1 */
};

struct report_format {
    const char *name, *ending;         /* of files: ".sarif" */
    const char *head, *between, *tail; /* tail NULL: reports cannot follow each other in a file */
    /* LOUPE_ENOMEM, or the sink's failure. */
    enum loupe_status (*write)(const struct report_run *run, struct loupe_sink sink);
};

extern const struct report_format report_github, report_gitlab, report_junit, report_markdown,
    report_sarif;

/* ---- finding_words.c: what all of them say ---- */

struct visible;

/* "timer-target"; without a pattern "retain-cycle", "leak", "suspect", "path". */
struct loupe_span finding_rule(const struct picture_finding *finding);
/* "A ring of 2 objects, leaked" */
void finding_title(const struct picture_finding *finding, struct visible *ret);
/* The references of its first ring or its path, folded, and what to change: one line. */
void finding_message(const struct picture *picture, const struct picture_finding *finding,
                     struct visible *ret);
/* "PhotoScreen._completion" of one reference. */
void arrow_words(const struct picture *picture, const struct picture_arrow *arrow,
                 struct visible *ret);
/* Where to go in the source: the block or lambda of the best change, else of the ring, else the
 * line that allocated it. NULL: not known. */
const struct picture_place *finding_place(const struct picture *picture,
                                          const struct picture_finding *finding);
/* The same in a report: where it is not known, the run's anchor, or NULL. */
const struct picture_place *report_place(const struct report_run *run,
                                         const struct picture_finding *finding);
/* That of one reference, or NULL. */
const struct picture_place *arrow_place(const struct picture *picture,
                                        const struct picture_arrow *arrow);
/* The file of a place, from the run's folder on where it is below that. */
struct loupe_span place_file(const struct report_run *run, const struct picture_place *place);

#endif
