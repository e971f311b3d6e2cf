/* What the other headers are written with. Names as Darwin has them. */
#pragma once

#ifdef __cplusplus
#define __BEGIN_DECLS extern "C" {
#define __END_DECLS   }
#define __restrict __restrict__
#else
#define __BEGIN_DECLS
#define __END_DECLS
#endif

/* Who asks for POSIX alone gets it alone: what is Darwin's own stands behind these. */
#define __DARWIN_C_FULL 900000L
#if defined(_POSIX_C_SOURCE) && !defined(_DARWIN_C_SOURCE)
#define __DARWIN_C_LEVEL _POSIX_C_SOURCE
#else
#define __DARWIN_C_LEVEL __DARWIN_C_FULL
#endif

#define __dead2                    __attribute__((__noreturn__))
#define __deprecated               __attribute__((__deprecated__))
#define __deprecated_msg(text)     __attribute__((__deprecated__(text)))
#define __printflike(format, args) __attribute__((__format__(__printf__, format, args)))
#define __scanflike(format, args)  __attribute__((__format__(__scanf__, format, args)))

/* On x86-64 macOS functions of the first systems keep their plain names: today's have others. */
#if defined(__x86_64__) && !defined(__ENVIRONMENT_IPHONE_OS_VERSION_MIN_REQUIRED__)
#define __DARWIN_INODE64(name) __asm("_" #name "$INODE64")
#else
#define __DARWIN_INODE64(name)
#endif
#define __DARWIN_EXTSN(name) __asm("_" #name "$DARWIN_EXTSN")
