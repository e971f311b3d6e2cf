/* As in secure/_string.h. */
#pragma once
#if _FORTIFY_SOURCE > 0 && !defined(__cplusplus) && __DARWIN_C_LEVEL >= __DARWIN_C_FULL
#undef bzero
#define bzero(to, ...) __builtin___memset_chk(to, 0, __VA_ARGS__, __darwin_obsz0(to))
#endif
