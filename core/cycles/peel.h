/*
 * peel.h - what shows of knots when nodes are lined up: each is looked at once, when its turn
 * comes, and its references may line up others. Part of settle.h.
 */
#ifndef LOUPE_PEEL_H
#define LOUPE_PEEL_H

#include "cycles/settle.h"

/*
 * Makes all open nodes loose that no ring of open nodes leads to. No node is LED. Of the others,
 * *hub_ret is the one that most references of other ones lead to.
 */
enum loupe_status loupe_peel(struct loupe_settled *settled, uint32_t *hub_ret);

/* Makes all open nodes LED that the anchor leads to. The anchor is TIED. */
enum loupe_status loupe_lead(struct loupe_settled *settled);

#endif
