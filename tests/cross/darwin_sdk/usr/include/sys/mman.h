#pragma once
#include <stddef.h>
#define PROT_NONE   0
#define PROT_READ   1
#define PROT_WRITE  2
#define MAP_FIXED   0x0010
#define MAP_PRIVATE 2
#define MAP_ANON    0x1000
#define MAP_FAILED  ((void *)-1)
void *mmap(void *, size_t, int, int, int, long long);
int munmap(void *, size_t);
