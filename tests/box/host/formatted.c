/*
 * formatted.c - text by a format and a list of arguments as Darwin passes it: on x86-64 the host's
 * own form; on arm64 the address of the first of words that stand one behind the other.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>

#if defined(__aarch64__)
typedef char *darwin_list;

/* All registers are used up: the rest of the arguments stands on the stack, in the same form. */
static void take(darwin_list arguments, va_list *ret) {
    struct host_list {
        void *stack, *general_top, *vector_top;
        int general_offset, vector_offset;
    } list = {.stack = arguments};
    memcpy(ret, &list, sizeof(list));
}
#else
typedef struct box_list *darwin_list;

static void take(darwin_list arguments, va_list *ret) {
    memcpy(ret, arguments, sizeof(va_list));
}
#endif

/* Once for each function that takes one, since a list cannot be handed on by value everywhere. */
int host_vfprintf(FILE *stream, const char *format, darwin_list arguments) {
    va_list list;
    take(arguments, &list);
    return vfprintf(stream, format, list);
}

int host_vsnprintf(char *text, size_t size, const char *format, darwin_list arguments) {
    va_list list;
    take(arguments, &list);
    return vsnprintf(text, size, format, list);
}

int host_vsscanf(const char *text, const char *format, darwin_list arguments) {
    va_list list;
    take(arguments, &list);
    return vsscanf(text, format, list);
}

void host_vsyslog(int priority, const char *format, darwin_list arguments) {
    va_list list;
    take(arguments, &list);
    vsyslog(priority, format, list);
}
