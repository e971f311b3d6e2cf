/*
 * page.h - a picture as one self-contained page of HTML.
 *
 * The page holds the picture as JSON, in which no byte of the target can end the element it stands
 * in, and a program of ours that draws it by making text nodes, never markup. Its
 * Content-Security-Policy lets nothing run, load or be sent but that program and its style sheet,
 * which it names by their hashes.
 */
#ifndef LOUPE_PICTURES_PAGE_H
#define LOUPE_PICTURES_PAGE_H

#include "base/json.h"
#include "pictures/picture.h"

/* LOUPE_ENOMEM, or the sink's failure. Pages have less than 5 MB, whatever is in
 * them: what had no room, they say. */
enum loupe_status picture_write_page(const struct picture *picture, struct loupe_sink sink);

/* ---- page_data.c ---- */

/* The picture as one object of JSON for the program of the page. */
enum loupe_status page_write_data(const struct picture *picture, struct loupe_sink sink);

/* Text of the target, cut where it is longer than anybody reads, with how long it was. */
void page_put_text(struct loupe_json *json, struct loupe_span text, size_t most);
/* How many bytes that writes, or a few less than it says. */
size_t page_text_size(struct loupe_span text, size_t most);

#endif
