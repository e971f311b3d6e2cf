#include "show_values.h"

#include "cli.h"
#include "leaks/heap_graph.h"
#include "native_words.h"
#include "runtime/tagged_values.h"
#include "snapshot/value_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- UTF-8 ---- */

/* The code point that the text begins with, and its bytes; 0 bytes: it is none. */
static uint32_t decode(struct loupe_span text, size_t *length_ret) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char first = (unsigned char)text.bytes[0];
    size_t length = first < 0x80 ? 1 : first >> 5 == 6 ? 2 : first >> 4 == 14 ? 3 : 4;
    *length_ret = 0;
    if (length == 4 && first >> 3 != 30)
        return 0;
    uint32_t point = length == 1 ? first : first & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if (i >= text.length || ((unsigned char)text.bytes[i] & 0xc0) != 0x80)
            return 0;
        point = point << 6 | ((unsigned char)text.bytes[i] & 0x3f);
    }
    bool is_sound =
        point >= least[length] && point <= 0x10ffff && (point < 0xd800 || point > 0xdfff);
    *length_ret = is_sound ? length : 0;
    return point;
}

/* Controls, and what turns text round or cannot be seen: nobody is to be deceived. */
static bool is_shown(uint32_t point) {
    static const uint32_t hidden[][2] = {{0, 0x1f},        {0x7f, 0x9f},     {0xad, 0xad},
                                         {0x61c, 0x61c},   {0x200b, 0x200f}, {0x2028, 0x202e},
                                         {0x2060, 0x206f}, {0xe000, 0xf8ff}, {0xfeff, 0xfeff},
                                         {0xfff0, 0xfffb}, {0xfffe, 0xffff}, {0xe0000, 0x10ffff}};
    for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++) {
        if (point >= hidden[i][0] && point <= hidden[i][1])
            return false;
    }
    return true;
}

void show_text(struct loupe_span text) {
    while (text.length) {
        size_t length;
        uint32_t point = decode(text, &length);
        if (!length)
            printf("\\x%02x", (unsigned char)text.bytes[0]);
        else if (is_shown(point))
            fwrite(text.bytes, 1, length, stdout);
        else if (point < 0x80)
            printf(point == '\n' ? "\\n" : point == '\t' ? "\\t" : "\\x%02x", (unsigned)point);
        else
            printf(point > 0xffff ? "\\U%08x" : "\\u%04x", (unsigned)point);
        text.bytes += length ? length : 1;
        text.length -= length ? length : 1;
    }
}

/* ---- Values ---- */

static bool show_node(const struct loupe_snapshot *snapshot, uint32_t node,
                      struct value_room room) {
    uint32_t is_class = loupe_snapshot_class_at(snapshot, node);
    if (snapshot->native) {
        printf("%s", words_in_full(snapshot, node).text);
    } else {
        show_text(is_class == LOUPE_NONE ? (struct loupe_span){"", 0} : loupe_span_of("class "));
        show_text(loupe_snapshot_class_name(
            snapshot, is_class == LOUPE_NONE ? snapshot->classes[node] : is_class));
        printf(" 0x%" PRIx64, loupe_snapshot_address(snapshot, node));
    }
    size_t length = loupe_snapshot_say_value(snapshot, node, room.text, room.cap);
    if (length) {
        putchar(' ');
        show_text((struct loupe_span){room.text, length});
    }
    return length;
}

bool show_target(const struct loupe_snapshot *snapshot, uint64_t address, struct value_room room) {
    const struct loupe_abi *abi = loupe_heap_abi(snapshot);
    uint32_t node, placed;
    size_t tagged;
    if (!address)
        printf("%s", snapshot->native ? "nil" : "null");
    else if (loupe_snapshot_find(snapshot, address, &node))
        return show_node(snapshot, node, room);
    else if ((placed = loupe_snapshot_class_placed_at(snapshot, address)) != LOUPE_NONE)
        printf("class %s 0x%" PRIx64, cli_printable(loupe_snapshot_class_name(snapshot, placed)),
               address);
    else if ((tagged = loupe_tagged_value(abi, address, room.text, room.cap)))
        printf("%s %s", loupe_tagged_class(abi, address),
               cli_printable((struct loupe_span){room.text, tagged}));
    else
        printf("0x%" PRIx64 " (not an object of this heap)", address);
    return false;
}

bool show_value(const struct loupe_snapshot *snapshot, struct loupe_value value,
                struct value_room room) {
    struct loupe_value_text text = {.dst = room.text, .room = room.cap - 1};
    if (value.type == LOUPE_VALUE_OBJECT)
        return show_target(snapshot, value.bits, room);
    loupe_put_scalar(&text, value);
    show_text((struct loupe_span){room.text, text.used});
    return true;
}
