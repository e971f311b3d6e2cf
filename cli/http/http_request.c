#include "http/http_request.h"

#include <string.h>

static bool is_in(char c, char first, char last) {
    return c >= first && c <= last;
}

static bool is_digit(char c) {
    return is_in(c, '0', '9');
}

/* Of names of methods and fields. */
static bool is_of_token(char c) {
    return is_in(c, 'a', 'z') || is_in(c, 'A', 'Z') || is_digit(c) || c == '-' || c == '_';
}

static bool is_printable(char c) {
    return is_in(c, ' ', '~');
}

/* What is before a character, or all of it; the rest stays. */
static struct loupe_span take_until(struct loupe_span *text, char end) {
    size_t length = 0;
    while (length < text->length && text->bytes[length] != end)
        length++;
    size_t taken = length < text->length ? length + 1 : length;
    struct loupe_span part = {text->bytes, length};
    *text = (struct loupe_span){text->bytes + taken, text->length - taken};
    return part;
}

static bool is_all(struct loupe_span text, bool (*is)(char c)) {
    for (size_t i = 0; i < text.length; i++)
        if (!is(text.bytes[i]))
            return false;
    return text.length;
}

static struct loupe_span trimmed(struct loupe_span text) {
    while (text.length && (*text.bytes == ' ' || *text.bytes == '\t'))
        text = (struct loupe_span){text.bytes + 1, text.length - 1};
    while (text.length &&
           (text.bytes[text.length - 1] == ' ' || text.bytes[text.length - 1] == '\t'))
        text.length--;
    return text;
}

/* Names of fields do not care about case. */
static bool is_named(struct loupe_span name, const char *wanted) {
    size_t length = strlen(wanted);
    if (name.length != length)
        return false;
    for (size_t i = 0; i < length; i++) {
        char c = name.bytes[i];
        if ((is_in(c, 'A', 'Z') ? (char)(c - 'A' + 'a') : c) != wanted[i])
            return false;
    }
    return true;
}

/* Without its end; false: there is none, or a control character is in it. */
static bool take_line(struct loupe_span *head, struct loupe_span *ret) {
    struct loupe_span line = take_until(head, '\n');
    if (!line.length || line.bytes[line.length - 1] != '\r')
        return false;
    line.length--;
    for (size_t i = 0; i < line.length; i++)
        if (!is_printable(line.bytes[i]) && line.bytes[i] != '\t')
            return false;
    *ret = line;
    return true;
}

static bool take_first_line(struct loupe_span *head, struct http_request *ret) {
    struct loupe_span line;
    if (!take_line(head, &line))
        return false;
    ret->method = take_until(&line, ' ');
    ret->path = take_until(&line, ' ');
    return is_all(ret->method, is_of_token) && is_all(ret->path, is_printable) &&
           ret->path.bytes[0] == '/' && loupe_span_equals(line, "HTTP/1.1");
}

/* What would be two things to two readers: a field that decides, said twice. */
static bool set_once(struct loupe_span *field, struct loupe_span value) {
    bool is_new = !field->bytes;
    *field = value;
    return is_new;
}

static bool take_field(struct loupe_span line, struct http_request *ret,
                       struct loupe_span *length_ret) {
    bool has_value = memchr(line.bytes, ':', line.length);
    struct loupe_span name = take_until(&line, ':'), value = trimmed(line);
    if (!has_value || !is_all(name, is_of_token) || is_named(name, "transfer-encoding"))
        return false;
    if (is_named(name, "host"))
        return set_once(&ret->host, value);
    if (is_named(name, "origin"))
        return set_once(&ret->origin, value);
    if (is_named(name, "sec-fetch-site"))
        return set_once(&ret->fetch_site, value);
    if (is_named(name, "cookie"))
        return set_once(&ret->cookie, value);
    return !is_named(name, "content-length") || set_once(length_ret, value);
}

/* False: it is no number; larger ones than any body are one more than that. */
static bool read_length(struct loupe_span text, size_t *ret) {
    size_t number = 0;
    if (text.bytes && !is_all(text, is_digit))
        return false;
    /* Cap: the status 413. */
    for (size_t i = 0; i < text.length && number <= HTTP_LARGEST_BODY; i++)
        number = number * 10 + (size_t)(text.bytes[i] - '0');
    *ret = number;
    return true;
}

static bool read_head(struct loupe_span head, struct http_request *ret, size_t *length_ret) {
    struct loupe_span length = {NULL, 0}, line;
    *ret = (struct http_request){.host = {NULL, 0}};
    if (!take_first_line(&head, ret))
        return false;
    while (head.length)
        if (!take_line(&head, &line) || !line.length || !take_field(line, ret, &length))
            return false;
    return ret->host.bytes && read_length(length, length_ret);
}

/* Where the head ends, behind its last line; length: it does not so far. */
static size_t end_of_head(const char *bytes, size_t length) {
    for (size_t i = 0; i + 4 <= length; i++)
        if (memcmp(bytes + i, "\r\n\r\n", 4) == 0)
            return i + 2;
    return length;
}

enum http_state http_read_request(const char *bytes, size_t length, struct http_request *ret) {
    size_t end = end_of_head(bytes, length), body = 0;
    if (end > HTTP_LARGEST_HEAD)
        return HTTP_TOO_LARGE;
    if (end == length)
        return HTTP_MORE;
    if (!read_head((struct loupe_span){bytes, end}, ret, &body))
        return HTTP_BAD;
    if (body > HTTP_LARGEST_BODY)
        return HTTP_TOO_LARGE;
    size_t start = end + 2;
    ret->body = (struct loupe_span){bytes + start, length - start};
    if (ret->body.length > body)
        return HTTP_BAD;
    return ret->body.length == body ? HTTP_WHOLE : HTTP_MORE;
}
