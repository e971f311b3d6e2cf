/*
 * Prints what tables of lines say of addresses, which stand on standard input, a line each: LINE
 * PATH, or "-" where nothing tells.
 *
 * usage: show_lines LINES LINE_STRINGS STRINGS, files with the bytes of sections
 */
#include "image/dwarf/lines.h"

#include "memory/drawn_heap.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { LONGEST_PATH = 4096 };

static struct loupe_span read_section(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file)
        return (struct loupe_span){"", 0};
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(size + 1);
    if (!bytes || fread(bytes, 1, size, file) != size)
        exit(2);
    fclose(file);
    return (struct loupe_span){bytes, size};
}

int main(int argc, char **argv) {
    if (argc != 4)
        return 2;
    const struct loupe_line_sections sections = {.lines = read_section(argv[1]),
                                                 .line_strings = read_section(argv[2]),
                                                 .strings = read_section(argv[3])};
    struct loupe_lines lines;
    if (loupe_lines_init(&lines, &sections, &drawn_chunks))
        return 2;
    uint64_t address;
    while (scanf("%" SCNx64, &address) == 1) {
        char path[LONGEST_PATH];
        uint32_t line;
        if (loupe_lines_find(&lines, address, path, sizeof(path), &line))
            printf("%" PRIu32 " %s\n", line, path);
        else
            puts("-");
    }
    loupe_lines_deinit(&lines);
    return 0;
}
