/* Types that many headers share; and, as on Darwin, every program is fortified unless it says no.
 */
#pragma once
#define __need_size_t
#include <stddef.h>
#include <sys/cdefs.h>

#ifndef _FORTIFY_SOURCE
#define _FORTIFY_SOURCE 2
#endif
#if _FORTIFY_SOURCE > 1
#define __darwin_obsz(object)  __builtin_object_size(object, 1)
#define __darwin_obsz0(object) __builtin_object_size(object, 0)
#else
#define __darwin_obsz(object)  __builtin_object_size(object, 0)
#define __darwin_obsz0(object) __builtin_object_size(object, 0)
#endif

/* For structures of headers that do not bring <stdint.h>. */
typedef unsigned char __uint8_t;
typedef unsigned short __uint16_t;
typedef int __int32_t;
typedef unsigned int __uint32_t;
typedef long long __int64_t;
typedef unsigned long long __uint64_t;
typedef __builtin_va_list __darwin_va_list;
typedef int __darwin_blksize_t;
typedef unsigned int __darwin_wctype_t;
typedef int __darwin_wctrans_t;
typedef int __darwin_wint_t;

typedef __INTPTR_TYPE__ ssize_t;
typedef long time_t;
typedef unsigned long clock_t;
typedef long long off_t;
typedef int pid_t;
typedef unsigned int uid_t;
typedef unsigned int gid_t;
typedef unsigned int id_t;
typedef int dev_t;
typedef unsigned short mode_t;
typedef unsigned short nlink_t;
typedef unsigned long long ino_t;
typedef long long blkcnt_t;
typedef __darwin_blksize_t blksize_t;
typedef int suseconds_t;
typedef unsigned int useconds_t;
typedef unsigned int sigset_t;
typedef struct _xlocale *locale_t;

typedef union {
    char __mbstate8[128];
    long long _mbstateL;
} mbstate_t;
