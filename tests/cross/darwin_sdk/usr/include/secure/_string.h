/* The checked forms, which stand for the plain ones in C unless _FORTIFY_SOURCE is 0. */
#pragma once
#if _FORTIFY_SOURCE > 0 && !defined(__cplusplus)
#undef memcpy
#define memcpy(to, ...) __builtin___memcpy_chk(to, __VA_ARGS__, __darwin_obsz0(to))
#undef memmove
#define memmove(to, ...) __builtin___memmove_chk(to, __VA_ARGS__, __darwin_obsz0(to))
#undef memset
#define memset(to, ...) __builtin___memset_chk(to, __VA_ARGS__, __darwin_obsz0(to))
#undef strcpy
#define strcpy(to, ...) __builtin___strcpy_chk(to, __VA_ARGS__, __darwin_obsz(to))
#undef stpcpy
#define stpcpy(to, ...) __builtin___stpcpy_chk(to, __VA_ARGS__, __darwin_obsz(to))
#undef strncpy
#define strncpy(to, ...) __builtin___strncpy_chk(to, __VA_ARGS__, __darwin_obsz(to))
#undef strcat
#define strcat(to, ...) __builtin___strcat_chk(to, __VA_ARGS__, __darwin_obsz(to))
#undef strncat
#define strncat(to, ...) __builtin___strncat_chk(to, __VA_ARGS__, __darwin_obsz(to))
#endif
