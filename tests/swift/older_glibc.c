/* Names that Swift's static libraries have of a C library since 2.38, for systems with an older
 * one. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

long __isoc23_strtol(const char *text, char **end, int base);
unsigned long __isoc23_strtoul(const char *text, char **end, int base);
long long __isoc23_strtoll(const char *text, char **end, int base);
unsigned long long __isoc23_strtoull(const char *text, char **end, int base);
int __isoc23_sscanf(const char *text, const char *format, ...);

__attribute__((weak)) long __isoc23_strtol(const char *text, char **end, int base) {
    return strtol(text, end, base);
}

__attribute__((weak)) unsigned long __isoc23_strtoul(const char *text, char **end, int base) {
    return strtoul(text, end, base);
}

__attribute__((weak)) long long __isoc23_strtoll(const char *text, char **end, int base) {
    return strtoll(text, end, base);
}

__attribute__((weak)) unsigned long long __isoc23_strtoull(const char *text, char **end, int base) {
    return strtoull(text, end, base);
}

__attribute__((weak)) int __isoc23_sscanf(const char *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int count = vsscanf(text, format, arguments);
    va_end(arguments);
    return count;
}
