/*
 * unwind_rules.h - where the registers of a function's caller are, at one of its instructions, and
 * the tables that tell: call frame information of DWARF (cfi.c), compact unwind of Mach-O
 * (compact.c).
 */
#ifndef LOUPE_STACKS_UNWIND_RULES_H
#define LOUPE_STACKS_UNWIND_RULES_H

#include "tables/frame.h"
#include "image/image.h"

enum loupe_restore_kind {
    LOUPE_RESTORE_NONE,      /* nothing is said: preserved registers keep their value */
    LOUPE_RESTORE_UNDEFINED, /* its value is lost; of the return address: there is no caller */
    LOUPE_RESTORE_SAME,
    LOUPE_RESTORE_AT,        /* in memory at the frame's address + value */
    LOUPE_RESTORE_IS,        /* the frame's address + value */
    LOUPE_RESTORE_REGISTER,  /* another register's value */
    LOUPE_RESTORE_AT_RESULT, /* in memory at the result of the expression at value */
    LOUPE_RESTORE_IS_RESULT,
};

struct loupe_restore {
    uint8_t kind;
    uint16_t size; /* of an expression */
    int64_t value; /* offset, register, or the address of an expression */
};

struct loupe_unwind_rules {
    /* What the frame's address (DWARF's CFA) is: a register + an offset, or an expression's
     * result. */
    struct {
        bool is_expression;
        uint8_t base;
        uint16_t size;
        int64_t value;
    } frame;
    struct loupe_restore registers[LOUPE_FRAME_REGISTERS];
    struct loupe_range code; /* of the function, as far as the tables tell one from the next */
    uint8_t return_address;  /* the register whose rule tells where the caller goes on */
    bool is_signal_frame;    /* the caller was interrupted, it made no call */
    /* True only where the function has made its frame and still has it, as at each call. */
    bool is_of_body;
};

/*
 * Rules at place, by the tables of the image that holds it. False: they say nothing of it, or are
 * damaged. Time and stack are bounded, whatever the tables are.
 */
bool loupe_unwind_rules_find(struct loupe_memory *memory, const struct loupe_unwind_tables *tables,
                             loupe_addr place, struct loupe_unwind_rules *ret);

/* ---- Each format ---- */

bool loupe_cfi_find(struct loupe_memory *memory, const struct loupe_unwind_tables *tables,
                    loupe_addr place, struct loupe_unwind_rules *ret);
bool loupe_compact_find(struct loupe_memory *memory, const struct loupe_unwind_tables *tables,
                        loupe_addr place, struct loupe_unwind_rules *ret);
/* The rules of the entry (FDE) at `entry` of .eh_frame, if it covers place. */
bool loupe_cfi_rules_of(struct loupe_memory *memory, const struct loupe_unwind_tables *tables,
                        loupe_addr entry, loupe_addr place, struct loupe_unwind_rules *ret);

/*
 * Evaluates an expression of DWARF that stands in `tables`, over the memory `stack`, with first on
 * its stack unless that is NULL. False: it is damaged, too long, or needs what is not known.
 */
bool loupe_expression_evaluate(struct loupe_memory *tables, struct loupe_memory *stack,
                               const struct loupe_frame *frame, struct loupe_range expression,
                               const uint64_t *first, uint64_t *ret);

#endif
