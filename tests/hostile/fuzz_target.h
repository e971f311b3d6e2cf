/*
 * fuzz_target.h - what a fuzz_NAME.c has: one function that must survive any bytes.
 *
 * It may be called millions of times in one process, so it gives everything back. What must hold is
 * checked with FUZZ_CHECK, on top of what the sanitizers find.
 */
#ifndef LOUPE_TESTS_FUZZ_TARGET_H
#define LOUPE_TESTS_FUZZ_TARGET_H

#include "base/arena.h"

#include <stddef.h>
#include <stdint.h>

/* The name that libFuzzer calls. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* malloc, with a limit on what is out at one time that no small input may need: what goes beyond it
 * fails a check. */
extern const struct loupe_chunk_ops fuzz_chunks;

#define FUZZ_CHECK(condition) fuzz_check((condition), __FILE__, __LINE__, #condition)
void fuzz_check(bool ok, const char *file, int line, const char *text);

#endif
