/* Stacks that are asked for over and over, beside those that are walked anew each time. */
#include "check.h"
#include "unwind/repeat.h"

#include <alloca.h>
#include <stdlib.h>

enum { DEPTH = 100, STACKS = 20000 };

static struct loupe_repeat repeat;
static struct loupe_range proved;
static uint64_t random_state = 1;

static unsigned draw(void) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(random_state >> 33);
}

__attribute__((noinline)) static void compare(size_t cap) {
    struct loupe_frame here;
    uint64_t repeated[DEPTH], walked[DEPTH];
    loupe_frame_capture(&here);
    struct loupe_unwound first = loupe_unwind_repeated(&repeat, &here, &proved, 1, repeated, cap);
    struct loupe_unwound second = loupe_unwind_own(&here, &proved, 1, walked, cap);
    bool is_same = first.count == second.count && first.end == second.end &&
                   memcmp(repeated, walked, first.count * sizeof(*walked)) == 0;
    CHECK(is_same);
}

/* Frames of many sizes and kinds, of which the next ones lie where others lay before. */
__attribute__((noinline)) static int descend(unsigned levels, size_t cap);

__attribute__((noinline)) static int small(unsigned levels, size_t cap) {
    return descend(levels, cap) + 1;
}

__attribute__((noinline)) static int large(unsigned levels, size_t cap) {
    volatile char room[200];
    room[0] = 1;
    return descend(levels, cap) + room[0];
}

__attribute__((noinline)) static int of_any_size(unsigned levels, size_t cap) {
    volatile char *room = alloca(16 + draw() % 256);
    room[0] = 1;
    return descend(levels, cap) + room[0];
}

static int compare_two(const void *left, const void *right) {
    compare(DEPTH);
    return *(const int *)left - *(const int *)right;
}

static int descend(unsigned levels, size_t cap) {
    int values[] = {2, 1};
    switch (levels ? draw() % 8 : 7) {
    case 0:
    case 1:
    case 2:
        return small(levels - 1, cap) + 1;
    case 3:
    case 4:
        return large(levels - 1, cap) + 1;
    case 5:
    case 6:
        return of_any_size(levels - 1, cap) + 1;
    default:
        compare(cap);
        if (draw() % 4 == 0) /* through the C library */
            qsort(values, 2, sizeof(values[0]), compare_two);
        return values[0];
    }
}

#if defined(__x86_64__)
static struct loupe_repeat kept;

void walk_below(void);
__attribute__((noinline)) void walk_below(void) {
    struct loupe_frame here;
    uint64_t found[DEPTH];
    loupe_frame_capture(&here);
    CHECK(loupe_unwind_repeated(&kept, &here, &proved, 0, found, DEPTH).count > 2);
}

/* A function without a frame pointer, which has what it likes in the register for one. */
void walk_with(uint64_t word);
__asm__(".text\n"
        "walk_with:\n"
        ".cfi_startproc\n"
        "pushq %rbp\n"
        ".cfi_adjust_cfa_offset 8\n"
        ".cfi_rel_offset %rbp, 0\n"
        "movq %rdi, %rbp\n"
        "call walk_below\n"
        "popq %rbp\n"
        ".cfi_adjust_cfa_offset -8\n"
        ".cfi_restore %rbp\n"
        "ret\n"
        ".cfi_endproc\n");

/* Whoever searches all memory for references finds none in what is kept of stacks. */
static void test_no_register_of_the_program_is_kept(void) {
    const uint64_t word = 0x00005a5a12345678;
    uint64_t words[sizeof(kept) / sizeof(uint64_t)];
    unsigned copies = 0;
    walk_with(word);
    walk_with(word);
    memcpy(words, &kept, sizeof(kept));
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        copies += words[i] == word;
    CHECK_EQ(copies, 0);
}
#endif

static void test_stacks_are_those_that_are_walked(void) {
    for (unsigned i = 0; i < STACKS; i++)
        descend(draw() % 30, DEPTH);
}

static void test_stacks_with_more_frames_than_room(void) {
    for (size_t cap = 1; cap < 12; cap++)
        descend(10, cap);
}

static void test_stacks_after_images_were_forgotten(void) {
    for (unsigned i = 0; i < 10; i++) {
        loupe_unwind_forget();
        descend(10, DEPTH);
    }
}

int main(void) {
#if defined(__x86_64__)
    RUN(test_no_register_of_the_program_is_kept);
#endif
    RUN(test_stacks_are_those_that_are_walked);
    RUN(test_stacks_with_more_frames_than_room);
    RUN(test_stacks_after_images_were_forgotten);
    return check_report();
}
