/*
 * drawn_process.h - what a process consists of beside its bytes (base/target/process.h), drawn:
 * regions, images with sections, threads with registers.
 *
 * One at a time. Texts are the test's, not copied. Fixed limits, checked.
 */
#ifndef LOUPE_TESTS_DRAWN_PROCESS_H
#define LOUPE_TESTS_DRAWN_PROCESS_H

#include "drawn_heap.h"

/* A heap's process with nothing in it yet; takes the place of the one before. */
void drawn_process_init(struct drawn_heap *heap);

/* Memory that can be read and written; the bytes of it are the heap's (drawn_region_add()). */
void drawn_process_region(loupe_addr start, loupe_addr end);
/* How the one that was drawn last is different. */
void drawn_process_region_is_stack(void);
void drawn_process_region_is_read_only(void);
/* All that were drawn so far: the system says that malloc() made them. */
void drawn_process_regions_are_of_allocators(void);

/* The images' sections, and the threads' registers, are those drawn behind them. */
void drawn_process_image(const char *path);
void drawn_process_section(const char *name, loupe_addr start, uint64_t size, bool writable);
/* It is in the file and nowhere in memory. */
void drawn_process_section_is_not_loaded(void);
void drawn_process_thread(uint64_t id);
/* What the last thread has of its own, as the system tells it. */
void drawn_process_variables(loupe_addr start, loupe_addr end);
void drawn_process_register(const char *name, uint64_t value);
void drawn_process_frames_end(loupe_addr end);
void drawn_process_name(const char *name);
/* The next one further out of the thread that was drawn last. */
void drawn_process_frame(loupe_addr place, loupe_addr end);

/* What the reader does not tell: a part of its functions, NULL from now on. */
enum drawn_process_part { DRAWN_REGIONS = 1, DRAWN_IMAGES = 2, DRAWN_THREADS = 4 };
void drawn_process_hide(unsigned parts);
/* The visits of a part break off behind the first one. */
void drawn_process_break(unsigned parts);

#endif
