#include "debuginfod/servers.h"

#include <string.h>

static const char digits[] = "0123456789";
/* Of addresses; without what begins a question or a place in a page, and without names of users,
 * which other programs would see. */
static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                              "-._~%!$&'()*+,;=:/[]";

static bool starts_with(struct loupe_span text, const char *start) {
    return text.length >= strlen(start) && memcmp(text.bytes, start, strlen(start)) == 0;
}

static bool is(struct loupe_span text, const char *other) {
    return text.length == strlen(other) && starts_with(text, other);
}

/* What stands before one of the ends, which all texts end with. */
static struct loupe_span until(const char *text, const char *ends) {
    return (struct loupe_span){text, strcspn(text, ends)};
}

/* "127.0.0.1": four numbers and nothing else, so that no name of another machine is one. */
static bool is_loopback_number(struct loupe_span host) {
    unsigned numbers = 0;
    for (size_t at = 0; at < host.length; at++, numbers++) {
        unsigned value = 0, count = 0;
        for (; at < host.length && host.bytes[at] != '.'; at++, count++) {
            if (!strchr(digits, host.bytes[at]) || count == 3)
                return false;
            value = value * 10 + (unsigned)(host.bytes[at] - '0');
        }
        if (!count || value > 255 || (numbers == 0 && value != 127))
            return false;
    }
    return numbers == 4 && host.bytes[host.length - 1] != '.';
}

static bool is_this_machine(struct loupe_span host) {
    return is(host, "localhost") || is(host, "[::1]") || is_loopback_number(host);
}

/* ":8002", or nothing, up to the path. */
static bool is_port(const char *text) {
    size_t count = *text == ':' ? strspn(text + 1, digits) : 0;
    return *text == ':' ? count >= 1 && count <= 5 && (!text[1 + count] || text[1 + count] == '/')
                        : !*text || *text == '/';
}

/* NULL, or why it is none that may be asked. */
static const char *read_server(struct server *server, struct loupe_span word) {
    if (word.length >= LONGEST_SERVER)
        return "it is too long";
    memcpy(server->address, word.bytes, word.length);
    server->address[word.length] = 0;
    bool is_plain = starts_with(word, "http://");
    if (!is_plain && !starts_with(word, "https://"))
        return "it has to be https";
    if (strspn(server->address, letters) != word.length)
        return "it has characters that no such address has";
    const char *name = server->address + strlen(is_plain ? "http://" : "https://");
    struct loupe_span host = until(name, *name == '[' ? "]/" : ":/");
    bool is_closed = *name != '[' || name[host.length] == ']';
    host.length += *name == '[' && is_closed;
    if (!host.length || !is_closed || !is_port(name + host.length))
        return "it names no machine";
    server->is_this_machine = is_this_machine(host);
    if (is_plain && !server->is_this_machine)
        return "it has to be https, since it is another machine";
    for (size_t end = word.length; end && server->address[end - 1] == '/';)
        server->address[--end] = 0;
    return NULL;
}

const char *servers_read(struct servers *servers, const char *text, struct loupe_span *word_ret) {
    static const char between[] = " \t\n";
    servers->count = 0;
    for (;;) {
        text += strspn(text, between);
        struct loupe_span word = *word_ret = until(text, between);
        if (!word.length)
            return servers->count ? NULL : "it names no server";
        if (servers->count == MOST_SERVERS)
            return "it names too many servers";
        struct server *server = &servers->list[servers->count];
        *server = (struct server){.is_given_up = false};
        const char *problem = read_server(server, word);
        if (problem)
            return problem;
        servers->count++;
        text += word.length;
    }
}
