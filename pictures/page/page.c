#include "pictures/page/page.h"

#include "pictures/asset.h"

#include <string.h>

struct writer {
    struct loupe_sink sink;
    enum loupe_status status;
};

static void put(struct writer *writer, const char *bytes, size_t length) {
    if (!writer->status && length)
        writer->status = writer->sink.write(writer->sink.ctx, bytes, length);
}

static void put_string(struct writer *writer, const char *text) {
    put(writer, text, strlen(text));
}

/* ---- The policy ---- */

enum { HASH_TEXT = 44 };

static void to_base64(const uint8_t hash[32], char text[HASH_TEXT + 1]) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *out = text;
    for (unsigned i = 0; i < 33; i += 3) {
        unsigned bits = (unsigned)hash[i] << 16 | (i + 1 < 32 ? (unsigned)hash[i + 1] << 8 : 0) |
                        (i + 2 < 32 ? hash[i + 2] : 0u);
        for (int shift = 18; shift >= 0; shift -= 6)
            *out++ = digits[bits >> shift & 63];
    }
    text[HASH_TEXT - 1] = '='; /* of the 33 bytes one is none */
    text[HASH_TEXT] = '\0';
}

static void put_policy(struct writer *writer) {
    char style[HASH_TEXT + 1], program[HASH_TEXT + 1], text[512];
    to_base64(asset_style.sha256, style);
    to_base64(asset_program.sha256, program);
    loupe_format(text, sizeof(text),
                 "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                 "script-src 'sha256-%s'; style-src 'sha256-%s'; base-uri 'none'; form-action "
                 "'none'\">\n",
                 program, style);
    put_string(writer, text);
}

/* ---- Data inside of markup ---- */

/* In JSON a '<' stands in texts alone, so it can be escaped without knowing where it is. */
static enum loupe_status put_data(void *ctx, const char *bytes, size_t length) {
    struct writer *writer = ctx;
    size_t plain = 0;
    for (size_t i = 0; i < length; i++) {
        if (bytes[i] != '<')
            continue;
        put(writer, bytes + plain, i - plain);
        put_string(writer, "\\u003c");
        plain = i + 1;
    }
    put(writer, bytes + plain, length - plain);
    return writer->status;
}

enum loupe_status picture_write_page(const struct picture *picture, struct loupe_sink sink) {
    struct writer writer = {.sink = sink};
    put_string(&writer, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    put_policy(&writer);
    put_string(&writer, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                        "<meta name=\"color-scheme\" content=\"light dark\">\n"
                        "<meta name=\"referrer\" content=\"no-referrer\">\n"
                        "<title>Loupe</title>\n<style>");
    put(&writer, asset_style.bytes, asset_style.size);
    put_string(&writer,
               "</style>\n</head>\n<body>\n<main id=\"page\">\n<h1>Loupe</h1>\n"
               "<p id=\"waiting\">This page draws itself by the program that it holds. Where you "
               "read this, programs are turned off.</p>\n</main>\n"
               "<script type=\"application/json\" id=\"data\">");
    enum loupe_status status =
        page_write_data(picture, (struct loupe_sink){.write = put_data, .ctx = &writer});
    if (status)
        return status;
    put_string(&writer, "</script>\n<script>");
    put(&writer, asset_program.bytes, asset_program.size);
    put_string(&writer, "</script>\n</body>\n</html>\n");
    return writer.status;
}
