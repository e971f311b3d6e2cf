/*
 * registers_darwin.h - what a thread of Darwin has in its registers, by its port of Mach.
 */
#ifndef LOUPE_STACKS_REGISTERS_DARWIN_H
#define LOUPE_STACKS_REGISTERS_DARWIN_H

#include "tables/frame.h"

/* Of a thread that runs they are those of some moment. False: it has ended, or is of a machine that
 * is not known. */
bool loupe_mach_registers(uint32_t port, struct loupe_frame *ret);

#endif
