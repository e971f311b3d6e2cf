/* Names that Swift's static libraries have of a C library since 2.38, for systems with an older
 * one. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

long __isoc23_strtol(const char *text, char **end, int base);
unsigned long __isoc23_strtoul(const char *text, char **end, int base);
long long __isoc23_strtoll(const char *text, char **end, int base);
unsigned long long __isoc23_strtoull(const char *text, char **end, int base);
int __isoc23_sscanf(const char *text, const char *format, ...);
size_t strlcpy(char *to, const char *from, size_t size);
size_t strlcat(char *to, const char *from, size_t size);

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

__attribute__((weak)) size_t strlcpy(char *to, const char *from, size_t size) {
    size_t length = strlen(from);
    if (size) {
        size_t copied = length < size ? length : size - 1;
        memcpy(to, from, copied);
        to[copied] = '\0';
    }
    return length;
}

__attribute__((weak)) size_t strlcat(char *to, const char *from, size_t size) {
    size_t length = 0;
    while (length < size && to[length])
        length++;
    return length + strlcpy(to + length, from, size - length);
}
