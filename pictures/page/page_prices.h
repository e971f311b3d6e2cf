/*
 * page_prices.h - how many bytes what a picture has takes in a page: as many, or a few more. So a
 * page can be kept small whatever texts it is made of.
 */
#ifndef LOUPE_PICTURES_PAGE_PRICES_H
#define LOUPE_PICTURES_PAGE_PRICES_H

#include "pictures/picture.h"

/* Longer names and other texts are cut in a page. */
enum { PAGE_MOST_NAME = 160, PAGE_MOST_TEXT = 400, PAGE_MOST_DIFF = 200 /* lines */ };

struct page_prices {
    const struct picture *picture;
    const uint32_t *shown; /* by thing: its number in the page, or PICTURE_NONE */
    uint32_t *priced;      /* by thing: the last count that it was part of; zeroed at first */
    uint32_t count;
};

/* With the things that the page does not have yet. */
size_t page_price_of_finding(struct page_prices *prices, const struct picture_finding *finding);
/* In a list of things or names. */
size_t page_price_of_thing(struct page_prices *prices, uint32_t thing);
size_t page_price_of_text(struct loupe_span text);

#endif
