/*
 * Decodes the encodings of a table of shapes (shapes.h) and compares with what its compiler did.
 *
 * usage: check_shapes OBJECT-FILE POINTER-SIZE WIDE-ALIGNMENT LONG-DOUBLE-SIZE
 * LONG-DOUBLE-ALIGNMENT
 */
#include "check.h"
#include "types/encoding.h"
#include "shapes.h"

#include <stdlib.h>

static struct loupe_encoding_cursor cursor;

static void check_leaves(const struct shape_row *row, const struct loupe_encoding *encoding) {
    struct loupe_leaf leaf;
    uint32_t count = 0;
    loupe_encoding_begin(&cursor, encoding, loupe_span_of(row->name), 1000);
    while (loupe_encoding_next(&cursor, &leaf)) {
        bool is_vtable = loupe_span_equals(leaf.type, "^^?");
        if (leaf.bit_width || is_vtable || !CHECK(count < row->count))
            continue;
        if (!CHECK_EQ(leaf.offset, row->offsets[count++]))
            printf("    for %s in %s\n", leaf.path, row->encoding);
    }
    CHECK_EQ(cursor.status, LOUPE_ENCODING_OK);
    CHECK_EQ(count, row->count);
}

static void check_row(const struct shape_row *row, const struct loupe_encoding_rules *rules) {
    struct loupe_span text = loupe_span_of(row->encoding);
    struct loupe_encoding encoding;
    if (!row->needs_size && CHECK_EQ(loupe_encoding_init(&encoding, text, rules, 0), 0)) {
        CHECK_EQ(encoding.type.text.length, text.length);
        CHECK_EQ(encoding.type.size, row->size);
        CHECK_EQ(encoding.type.alignment, row->alignment);
        check_leaves(row, &encoding);
    }
    if (CHECK_EQ(loupe_encoding_init(&encoding, text, rules, row->size), 0)) {
        if (!CHECK(encoding.fits))
            printf("    for %s\n", row->encoding);
        check_leaves(row, &encoding);
    }
}

/* Finds the table anywhere in the file. */
static const struct shape_table_head *find_table(const char *file, size_t size) {
    for (size_t at = 0; at + sizeof(struct shape_table_head) <= size; at += 4) {
        const struct shape_table_head *head = (const void *)(file + at);
        if (memcmp(head->magic, SHAPES_MAGIC, sizeof(SHAPES_MAGIC)) == 0 &&
            head->row_size == sizeof(struct shape_row) &&
            size - at - sizeof(*head) >= (uint64_t)head->row_count * head->row_size)
            return head;
    }
    return NULL;
}

static char *read_file(const char *path, size_t *size_ret) {
    FILE *file = fopen(path, "rb");
    char *bytes = malloc(1 << 20);
    *size_ret = file && bytes ? fread(bytes, 1, 1 << 20, file) : 0;
    if (file)
        fclose(file);
    return bytes;
}

int main(int argc, char **argv) {
    if (argc != 7)
        return 2;
    struct loupe_machine machine = {.pointer_size = (uint8_t)atoi(argv[2])};
    struct loupe_encoding_rules rules = loupe_encoding_rules_of(machine);
    rules.wide_alignment = (uint8_t)atoi(argv[3]);
    rules.long_double_size = (uint8_t)atoi(argv[4]);
    rules.long_double_align = (uint8_t)atoi(argv[5]);
    rules.loose_bits = atoi(argv[6]) != 0;
    size_t size;
    char *file = read_file(argv[1], &size);
    const struct shape_table_head *head = find_table(file, size);
    if (CHECK(head != NULL)) {
        const struct shape_row *rows = (const void *)(head + 1);
        for (uint32_t i = 0; i < head->row_count; i++) {
            check_current = rows[i].name;
            check_row(&rows[i], &rules);
        }
    }
    free(file);
    return check_report();
}
