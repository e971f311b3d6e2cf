#include "pictures/page/page_prices.h"

#include "pictures/page/page.h"

/* Keys, numbers and the like of one thing, reference, finding and number. */
enum { THING_PRICE = 180, ARROW_PRICE = 150, FINDING_PRICE = 700, NUMBER_PRICE = 8 };

size_t page_text_size(struct loupe_span text, size_t most) {
    enum { ESCAPED = 6, ADDITION = 30 };
    size_t length = text.length < most ? text.length : most;
    size_t size = text.length > most ? ADDITION : 0;
    for (size_t i = 0; i < length; i++)
        size += text.bytes[i] >= ' ' && text.bytes[i] <= '~' && text.bytes[i] != '<' ? 1 : ESCAPED;
    return size;
}

static size_t of_names(const struct loupe_span *names, size_t count) {
    size_t price = 0;
    for (size_t i = 0; i < count; i++)
        price += page_text_size(names[i], PAGE_MOST_NAME);
    return price;
}

/* Those that the page has already cost nothing, nor do those that were counted just now. */
static size_t of_thing(struct page_prices *prices, uint32_t number) {
    if (number == PICTURE_NONE || prices->shown[number] != PICTURE_NONE ||
        prices->priced[number] == prices->count)
        return 0;
    const struct picture_thing *thing = &prices->picture->things[number];
    const struct loupe_span names[] = {
        picture_name(thing, prices->picture->arena), thing->kind,           thing->value,
        picture_file_name(thing->place.file),        thing->place.function, thing->symbol};
    prices->priced[number] = prices->count;
    return THING_PRICE + of_names(names, sizeof(names) / sizeof(names[0]));
}

static size_t of_arrow(struct page_prices *prices, const struct picture_arrow *arrow) {
    const struct loupe_span names[] = {arrow->kind,        arrow->path,
                                       arrow->ownership,   arrow->slot,
                                       arrow->declared_by, picture_file_name(arrow->lambda.file)};
    return ARROW_PRICE + of_names(names, sizeof(names) / sizeof(names[0])) +
           of_thing(prices, arrow->from) + of_thing(prices, arrow->to);
}

static size_t of_change(struct page_prices *prices, const struct picture_change *change) {
    return ARROW_PRICE + page_text_size(change->text, PAGE_MOST_TEXT) +
           page_text_size(change->diff, change->diff.length) +
           page_text_size(change->tried, PAGE_MOST_TEXT) + of_thing(prices, change->kept_by) +
           NUMBER_PRICE * (size_t)change->cut.count;
}

size_t page_price_of_finding(struct page_prices *prices, const struct picture_finding *finding) {
    const struct loupe_span names[] = {finding->fingerprint, finding->verdict, finding->reason,
                                       finding->root};
    prices->count++;
    size_t price = FINDING_PRICE + of_names(names, sizeof(names) / sizeof(names[0])) +
                   of_thing(prices, finding->head) + NUMBER_PRICE * (size_t)finding->holders.count;
    for (uint32_t i = 0; i < finding->arrow_count; i++)
        price += of_arrow(prices, &finding->arrows[i]);
    for (uint32_t i = 0; i < finding->ring_count; i++)
        price += FINDING_PRICE + NUMBER_PRICE * (size_t)finding->rings[i].arrows.count;
    for (uint32_t i = 0; i < finding->change_count; i++)
        price += of_change(prices, &finding->changes[i]);
    return price;
}

size_t page_price_of_thing(struct page_prices *prices, uint32_t thing) {
    prices->count++;
    return ARROW_PRICE + of_thing(prices, thing);
}

size_t page_price_of_text(struct loupe_span text) {
    return ARROW_PRICE + page_text_size(text, PAGE_MOST_NAME);
}
