/*
 * Any bytes as the memory of a target with a block in it. The image starts at IMAGE; its first byte
 * says how to look at it, its start holds the block. Addresses outside cannot be read. Names come
 * out of the image too: the string at an address is the name of the address in front of it.
 */
#include "fuzz_memory.h"
#include "fuzz_target.h"

#include "report/objects/report_block.h"

#include <string.h>

#define IMAGE 0x10000u

enum { NAME_DISTANCE = 64 }; /* from an address to its name */

static enum loupe_status name_image(void *ctx, loupe_addr addr, char *dst, size_t cap,
                                    uint64_t *offset_ret) {
    const struct fuzz_memory *image = ctx;
    loupe_addr place = addr + NAME_DISTANCE;
    if (addr < IMAGE || place - IMAGE >= image->size)
        return LOUPE_EFAULT;
    size_t left = image->size - (place - IMAGE);
    loupe_format(dst, cap, "%.*s", left < 512 ? (int)left : 512,
                 (const char *)image->bytes + (place - IMAGE));
    *offset_ret = 0;
    return LOUPE_OK;
}

static struct loupe_span name_class(void *ctx, loupe_addr address) {
    (void)ctx;
    return loupe_span_of(address & 8 ? "Object" : NULL);
}

static enum loupe_status drop_text(void *ctx, const char *bytes, size_t len) {
    (void)bytes;
    *(size_t *)ctx += len;
    return LOUPE_OK;
}

static void check_cover(const struct loupe_block_report *report) {
    uint32_t at = report->block.header_size;
    for (uint32_t i = 0; i < report->captures.count; i++) {
        const struct loupe_capture *capture = &report->captures.items[i];
        FUZZ_CHECK(capture->offset == at && capture->size > 0);
        FUZZ_CHECK(report->block.owns_captures || !loupe_capture_owns(capture));
        at += capture->size;
    }
    FUZZ_CHECK(at == report->block.size);
}

static void ask(struct loupe_target *target, const struct loupe_block_traits *traits) {
    struct loupe_block_report report;
    struct loupe_error err = {0};
    struct loupe_class_namer namer = {.name = name_class};
    enum loupe_status status = loupe_block_report_make(target, traits, namer, IMAGE, &report, &err);
    FUZZ_CHECK(status == err.code);
    if (status)
        return;
    check_cover(&report);
    size_t written = 0;
    struct loupe_json json;
    loupe_json_init(&json, (struct loupe_sink){.write = drop_text, .ctx = &written});
    loupe_json_begin_object(&json);
    loupe_block_report_write(&json, &report);
    loupe_json_end_object(&json);
    FUZZ_CHECK(loupe_json_finish(&json) == LOUPE_OK && written > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const struct loupe_reader_ops with_names = {.read = fuzz_read,
                                                       .window = fuzz_window,
                                                       .region = loupe_no_region,
                                                       .name_address = name_image};
    if (!size)
        return 0;
    uint8_t how = data[0];
    struct fuzz_memory image = {.bytes = data + 1, .start = IMAGE, .size = size - 1};
    struct loupe_block_traits traits = {.count = (enum loupe_block_count)((how >> 2 & 3) % 3),
                                        .byref_count_mask = 0xfffe,
                                        .byref_count_unit = how >> 4 & 3,
                                        .has_layouts = (how & 0x40) != 0,
                                        .heap_isa = how & 0x80 ? IMAGE : 0};
    struct loupe_machine machine = {.pointer_size = how & 1 ? 4 : 8};
    struct loupe_memory memory;
    struct loupe_target target;
    loupe_memory_init(&memory, how & 2 ? &with_names : &fuzz_memory_ops, &image, machine,
                      &fuzz_chunks);
    loupe_target_init(&target, &memory, &fuzz_chunks);
    ask(&target, &traits);
    loupe_target_deinit(&target);
    loupe_memory_deinit(&memory);
    return 0;
}
