#include "text_out.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool reserve(struct watch_text *text, size_t more) {
    size_t needed = text->length + more + 1;
    if (text->is_cut || needed <= text->capacity)
        return !text->is_cut;
    size_t capacity = text->capacity ? text->capacity : 1024;
    while (capacity < needed)
        capacity *= 2;
    char *bytes = realloc(text->bytes, capacity);
    text->is_cut = !bytes;
    if (bytes) {
        text->bytes = bytes;
        text->capacity = capacity;
    }
    return bytes != NULL;
}

void watch_text_add_bytes(struct watch_text *text, const char *bytes, size_t length) {
    if (!reserve(text, length))
        return;
    memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    text->bytes[text->length] = '\0';
}

void watch_text_add(struct watch_text *text, const char *format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    if (length > 0 && reserve(text, (size_t)length)) {
        vsnprintf(text->bytes + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
    va_end(arguments);
}

const char *watch_text_get(const struct watch_text *text) {
    return text->bytes ? text->bytes : "";
}

void watch_text_end(struct watch_text *text) {
    free(text->bytes);
    *text = (struct watch_text){0};
}
