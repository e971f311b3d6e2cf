/*
 * Any bytes as a request of a browser: what is understood lies in them, means one thing, and takes
 * no more than it may; what a part of them is does not change when more follows.
 */
#include "fuzz_target.h"

#include "http/http_gate.h"

#include <string.h>

static const char *bytes;
static size_t length;

static void check_part(struct loupe_span part) {
    FUZZ_CHECK(!part.length || (part.bytes >= bytes && part.bytes <= bytes + length &&
                                part.length <= (size_t)(bytes + length - part.bytes)));
}

static void check_text(struct loupe_span part) {
    check_part(part);
    for (size_t i = 0; i < part.length; i++)
        FUZZ_CHECK((part.bytes[i] >= ' ' && part.bytes[i] <= '~') || part.bytes[i] == '\t');
}

static void check_request(const struct http_request *request) {
    check_text(request->method);
    check_text(request->path);
    check_text(request->host);
    check_text(request->origin);
    check_text(request->fetch_site);
    check_text(request->cookie);
    check_part(request->body);
    FUZZ_CHECK(request->method.length && request->path.bytes[0] == '/' && request->host.bytes);
    FUZZ_CHECK(request->body.length <= HTTP_LARGEST_BODY);
    FUZZ_CHECK(request->body.bytes + request->body.length == bytes + length);
}

/* Nobody has these secrets. */
static void check_gate(const struct http_request *request) {
    struct http_gate gate = {.token = "0123456789abcdef0123456789abcdef",
                             .cookie = "fedcba9876543210fedcba9876543210",
                             .path = "00112233445566778899aabbccddeeff",
                             .port = 4711};
    bool is_ours = http_gate_is_ours(&gate, request);
    FUZZ_CHECK(!is_ours || loupe_span_equals(request->host, "127.0.0.1:4711") ||
               loupe_span_equals(request->host, "localhost:4711"));
    FUZZ_CHECK(!http_gate_has_cookie(&gate, request) ||
               loupe_span_contains(request->cookie, "loupe=fedcba9876543210fedcba9876543210"));
    FUZZ_CHECK(http_gate_takes_token(&gate, request->body) ==
               loupe_span_equals(request->body, gate.token));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct http_request request;
    bytes = (const char *)data;
    length = size;
    enum http_state state = http_read_request(bytes, length, &request);
    if (state == HTTP_WHOLE) {
        check_request(&request);
        check_gate(&request);
    }
    FUZZ_CHECK(size <= HTTP_LARGEST_REQUEST || state != HTTP_MORE);
    for (size_t part = 0; part < size && size < 512; part++) {
        enum http_state before = http_read_request(bytes, part, &request);
        FUZZ_CHECK(before == HTTP_MORE || before == state || before == HTTP_WHOLE);
    }
    return 0;
}
