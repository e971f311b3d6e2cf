#include "http/http_gate.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { MOST_WRONG_TOKENS = 32 };

static bool make_secret(FILE *random, char dst[HTTP_SECRET_SIZE]) {
    static const char digits[] = "0123456789abcdef";
    uint8_t bytes[HTTP_SECRET_SIZE / 2];
    if (fread(bytes, 1, sizeof(bytes), random) != sizeof(bytes))
        return false;
    for (size_t i = 0; i < sizeof(bytes); i++) {
        dst[2 * i] = digits[bytes[i] >> 4];
        dst[2 * i + 1] = digits[bytes[i] & 15];
    }
    dst[HTTP_SECRET_SIZE - 1] = '\0';
    return true;
}

bool http_gate_init(struct http_gate *gate, unsigned port) {
    FILE *random = fopen("/dev/urandom", "rb");
    *gate = (struct http_gate){.port = port};
    if (!random)
        return false;
    setvbuf(random, NULL, _IONBF, 0); /* nothing of other secrets is read */
    bool made = make_secret(random, gate->token) && make_secret(random, gate->cookie) &&
                make_secret(random, gate->path);
    fclose(random);
    return made;
}

/* As long for wrong ones, wherever they differ. */
static bool is_secret(struct loupe_span text, const char *secret) {
    uint8_t differs = 0;
    if (text.length != HTTP_SECRET_SIZE - 1)
        return false;
    for (size_t i = 0; i < text.length; i++)
        differs |= (uint8_t)(text.bytes[i] ^ secret[i]);
    return !differs;
}

/* "127.0.0.1:PORT", behind a prefix. */
static bool names_us(const struct http_gate *gate, struct loupe_span text, const char *prefix) {
    static const char *const hosts[] = {"127.0.0.1", "localhost"};
    for (unsigned i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++) {
        char name[64];
        snprintf(name, sizeof(name), "%s%s:%u", prefix, hosts[i], gate->port);
        if (loupe_span_equals(text, name))
            return true;
    }
    return false;
}

/* A page that a link leads to has nothing in it; what a page asks for comes from our own. */
bool http_gate_is_ours(const struct http_gate *gate, const struct http_request *request) {
    struct loupe_span site = request->fetch_site;
    bool is_get = loupe_span_equals(request->method, "GET");
    if (!names_us(gate, request->host, "") ||
        (request->origin.bytes && !names_us(gate, request->origin, "http://")))
        return false;
    return is_get || !site.bytes || loupe_span_equals(site, "same-origin");
}

bool http_gate_takes_token(struct http_gate *gate, struct loupe_span token) {
    if (gate->wrong_tokens >= MOST_WRONG_TOKENS)
        return false;
    bool is_right = is_secret(token, gate->token);
    gate->wrong_tokens += !is_right;
    return is_right;
}

bool http_gate_has_cookie(const struct http_gate *gate, const struct http_request *request) {
    static const char name[] = "loupe=";
    struct loupe_span left = request->cookie;
    size_t length = sizeof(name) - 1;
    while (left.length) {
        size_t end = 0;
        while (end < left.length && left.bytes[end] != ';')
            end++;
        struct loupe_span value = {left.bytes + length, end > length ? end - length : 0};
        if (end > length && memcmp(left.bytes, name, length) == 0 && is_secret(value, gate->cookie))
            return true;
        while (end < left.length && (left.bytes[end] == ';' || left.bytes[end] == ' '))
            end++;
        left = (struct loupe_span){left.bytes + end, left.length - end};
    }
    return false;
}
