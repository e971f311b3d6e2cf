/*
 * trampoline.h - what the assembler and interception.c agree on. Read by both.
 */
#ifndef LOUPE_WATCH_TRAMPOLINE_H
#define LOUPE_WATCH_TRAMPOLINE_H

#define WATCH_THUNK_COUNT 1024
#define WATCH_THUNK_SIZE  16

/* struct watch_slot */
#define WATCH_SLOT_SIZE      16
#define WATCH_SLOT_IS_ACTIVE 8

#endif
