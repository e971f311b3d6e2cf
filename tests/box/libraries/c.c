/*
 * c.c - of libsystem_c what is no plain call: variables, and functions with a variable list of
 * arguments, which on arm64 stands otherwise than on the host.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct box_file FILE;

FILE *__stdinp, *__stdoutp, *__stderrp;
char **environ;
uintptr_t __stack_chk_guard = 0x5af3107a40000000;

FILE *host_box_stream(int number);
char **host_box_environment(void);
int host_vfprintf(FILE *stream, const char *format, va_list arguments);
int host_vsnprintf(char *text, size_t size, const char *format, va_list arguments);
int host_vsscanf(const char *text, const char *format, va_list arguments);
_Noreturn void host_abort(void);

__attribute__((constructor)) static void begin(void) {
    __stdinp = host_box_stream(0);
    __stdoutp = host_box_stream(1);
    __stderrp = host_box_stream(2);
    environ = host_box_environment();
}

char ***_NSGetEnviron(void) {
    return &environ;
}

_Noreturn void __stack_chk_fail(void) {
    host_abort();
}

/* ---- Formatted text ---- */

int vfprintf(FILE *stream, const char *format, va_list arguments) {
    return host_vfprintf(stream, format, arguments);
}

int vprintf(const char *format, va_list arguments) {
    return host_vfprintf(__stdoutp, format, arguments);
}

int vsnprintf(char *text, size_t size, const char *format, va_list arguments) {
    return host_vsnprintf(text, size, format, arguments);
}

int printf(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = host_vfprintf(__stdoutp, format, arguments);
    va_end(arguments);
    return length;
}

int fprintf(FILE *stream, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = host_vfprintf(stream, format, arguments);
    va_end(arguments);
    return length;
}

int snprintf(char *text, size_t size, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = host_vsnprintf(text, size, format, arguments);
    va_end(arguments);
    return length;
}

int sprintf(char *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = host_vsnprintf(text, SIZE_MAX >> 1, format, arguments);
    va_end(arguments);
    return length;
}

int sscanf(const char *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int found = host_vsscanf(text, format, arguments);
    va_end(arguments);
    return found;
}

void host_vsyslog(int priority, const char *format, va_list arguments);

void syslog(int priority, const char *format, ...) __asm__("_syslog$DARWIN_EXTSN");
void syslog(int priority, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    host_vsyslog(priority, format, arguments);
    va_end(arguments);
}

/*
 * ---- With the size of what is written to, as the headers make calls of them ----
 *
 * They end the program also where what is copied and where it goes have bytes in common, or are the
 * same (Libc-1698, secure/chk_fail.c: __chk_overlap); memmove() alone may do that.
 */

_Noreturn static void overflow(void) {
    host_abort();
}

static void need_apart(const void *to, size_t written, const void *from, size_t size) {
    uintptr_t target = (uintptr_t)to, source = (uintptr_t)from;
    bool is_before = target < source;
    if (written && size && (is_before ? target + written > source : source + size > target))
        host_abort();
}

void *memcpy(void *to, const void *from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
char *strcpy(char *to, const char *from);
char *strncpy(char *to, const char *from, size_t size);
char *strcat(char *to, const char *from);
size_t strlen(const char *text);

void *__memcpy_chk(void *to, const void *from, size_t size, size_t room) {
    need_apart(to, size, from, size);
    return size > room ? (overflow(), NULL) : memcpy(to, from, size);
}

void *__memmove_chk(void *to, const void *from, size_t size, size_t room) {
    return size > room ? (overflow(), NULL) : memmove(to, from, size);
}

void *__memset_chk(void *to, int byte, size_t size, size_t room) {
    return size > room ? (overflow(), NULL) : memset(to, byte, size);
}

char *__strcpy_chk(char *to, const char *from, size_t room) {
    size_t size = strlen(from) + 1;
    need_apart(to, size, from, size);
    return size > room ? (overflow(), NULL) : strcpy(to, from);
}

char *__strncpy_chk(char *to, const char *from, size_t size, size_t room) {
    need_apart(to, size, from, size);
    return size > room ? (overflow(), NULL) : strncpy(to, from, size);
}

char *__strcat_chk(char *to, const char *from, size_t room) {
    size_t before = strlen(to), added = strlen(from);
    need_apart(to, before + added + 1, from, added + 1);
    return before + added >= room ? (overflow(), NULL) : strcat(to, from);
}

int __snprintf_chk(char *text, size_t size, int flags, size_t room, const char *format, ...) {
    va_list arguments;
    (void)flags;
    if (size > room)
        overflow();
    va_start(arguments, format);
    int length = host_vsnprintf(text, size, format, arguments);
    va_end(arguments);
    return length;
}

int __vsnprintf_chk(char *text, size_t size, int flags, size_t room, const char *format,
                    va_list arguments) {
    (void)flags;
    if (size > room)
        overflow();
    return host_vsnprintf(text, size, format, arguments);
}

int __sprintf_chk(char *text, int flags, size_t room, const char *format, ...) {
    va_list arguments;
    (void)flags;
    va_start(arguments, format);
    int length = host_vsnprintf(text, room, format, arguments);
    va_end(arguments);
    if ((size_t)length >= room)
        overflow();
    return length;
}

/* ---- Assertions ---- */

_Noreturn void __assert_rtn(const char *function, const char *file, int line, const char *text) {
    fprintf(__stderrp, "Assertion failed: (%s), function %s, file %s, line %d.\n", text,
            function ? function : "?", file, line);
    host_abort();
}

/* ---- What hands out blocks ---- */

void *malloc(size_t size);
size_t strnlen(const char *text, size_t size);

char *strndup(const char *text, size_t size) {
    size_t length = strnlen(text, size);
    char *copy = malloc(length + 1);
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

char *strdup(const char *text) {
    return strndup(text, strlen(text));
}

int vasprintf(char **ret, const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    int length = host_vsnprintf(NULL, 0, format, again);
    va_end(again);
    *ret = length < 0 ? NULL : malloc((size_t)length + 1);
    return *ret ? host_vsnprintf(*ret, (size_t)length + 1, format, arguments) : -1;
}

int asprintf(char **ret, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(ret, format, arguments);
    va_end(arguments);
    return length;
}
