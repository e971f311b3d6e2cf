/*
 * amounts.h - numbers as people read them.
 */
#ifndef LOUPE_CLI_AMOUNTS_H
#define LOUPE_CLI_AMOUNTS_H

#include <stdint.h>

/* Both in static storage, one of a few: enough for one line. */

/* "24 bytes", "1.2 MB": in powers of 1000. */
const char *cli_bytes(uint64_t bytes);
/* "3,400" */
const char *cli_count(uint64_t count);

#endif
