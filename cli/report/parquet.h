/*
 * parquet.h - rows as Parquet files, one for each kind of row, which databases read without being
 * told what is in them: all columns may be null, plain values, not compressed.
 */
#ifndef LOUPE_REPORT_PARQUET_H
#define LOUPE_REPORT_PARQUET_H

#include "base/text.h"

struct parquet;

/* The files go into a folder, which is made where it is not there. NULL, and *problem_ret. */
struct parquet *parquet_open(const char *folder, const char **problem_ret);
/* Rows, each a JSON object and a line. False: parquet_close() says why. */
bool parquet_add(struct parquet *parquet, struct loupe_span lines);
/* The files take their places. NULL, or why they could not be written whole: then none is there. */
const char *parquet_close(struct parquet *parquet);

#endif
