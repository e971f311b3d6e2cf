/* The checked forms, which stand for the plain ones in C unless _FORTIFY_SOURCE is 0. */
#pragma once
#if _FORTIFY_SOURCE > 0 && !defined(__cplusplus)
#undef snprintf
#define snprintf(text, size, ...)                                                                  \
    __builtin___snprintf_chk(text, size, 0, __darwin_obsz(text), __VA_ARGS__)
#undef vsnprintf
#define vsnprintf(text, size, format, args)                                                        \
    __builtin___vsnprintf_chk(text, size, 0, __darwin_obsz(text), format, args)
#endif
