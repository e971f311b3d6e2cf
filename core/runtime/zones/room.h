/*
 * room.h - how large the memory is that malloc() gave at an address: by glibc's header there, else
 * by the tables of Apple's zones, else by what the zones themselves tell a host that can ask them.
 */
#ifndef LOUPE_ZONES_ROOM_H
#define LOUPE_ZONES_ROOM_H

#include "base/target/target.h"

/* The bytes of the allocation that begins at an address; 0: none does, or it is not known. */
uint64_t loupe_room_at(struct loupe_target *target, loupe_addr address);

#endif
