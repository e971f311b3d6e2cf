#pragma once
#include <_types.h>
#include <stdint.h>
typedef unsigned char u_char;
typedef unsigned short u_short;
typedef unsigned int u_int;
typedef unsigned long u_long;
typedef char *caddr_t;
typedef int key_t;
typedef unsigned int fsblkcnt_t;
typedef unsigned int fsfilcnt_t;
