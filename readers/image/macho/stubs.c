/* Where a stub of Mach-O leads to. */
#include "image/image.h"

struct search {
    loupe_addr addr;
    struct loupe_section found;
};

static bool is_elsewhere(void *ctx, const struct loupe_section *section) {
    struct search *search = ctx;
    if (search->addr < section->start || search->addr >= section->end)
        return true;
    search->found = *section;
    return false;
}

/* False: no section holds it. */
static bool find_section(const struct loupe_image *image, loupe_addr addr,
                         struct loupe_section *ret) {
    struct search search = {.addr = addr};
    loupe_image_sections(image, is_elsewhere, &search);
    *ret = search.found;
    return search.found.end > search.found.start;
}

bool loupe_image_stub(const struct loupe_image *image, loupe_addr addr, struct loupe_symbol *ret) {
    struct loupe_section section;
    uint32_t number;
    uint64_t room = (image->stub_symbols.end - image->stub_symbols.start) / sizeof(number);
    if (!room || !find_section(image, addr, &section) || !section.stub_size)
        return false;
    uint64_t index = (addr - section.start) / section.stub_size;
    loupe_addr at = image->stub_symbols.start + (section.first_stub + index) * sizeof(number);
    /* Numbers of stubs without a symbol are above those of all symbols. */
    if (section.first_stub + index >= room || loupe_memory_read_u32(image->memory, at, &number) ||
        !loupe_image_symbol(image, number, ret))
        return false;
    ret->address = section.start + index * section.stub_size;
    ret->size = section.stub_size;
    return true;
}

bool loupe_image_in_one_section(const struct loupe_image *image, loupe_addr symbol,
                                loupe_addr addr) {
    struct loupe_section section;
    return image->format != LOUPE_IMAGE_MACHO || !find_section(image, symbol, &section) ||
           addr < section.end;
}
