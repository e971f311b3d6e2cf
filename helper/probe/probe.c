#include "probe/probe.h"

#include "blocks/block.h"
#include "blocks/captures.h"
#include "probe/detectors.h"
#include "probe/probe_cache.h"
#include "report/report.h"
#include "runtime/abi.h"
#include "runtime/object.h"

#include <string.h>

enum { WORD = sizeof(uintptr_t), NAME_CAPACITY = 256 };

#if defined(__arm64e__)
enum { CODE_POINTERS_ARE_SIGNED = 1 };
#else
enum { CODE_POINTERS_ARE_SIGNED = 0 };
#endif

struct probe {
    struct loupe_self *self;
    struct loupe_target target;
    struct loupe_block block;
    char helper_name[NAME_CAPACITY];
    char skipped[NAME_CAPACITY + 64]; /* why; empty: it was made */
    unsigned word_count;
    uint8_t releases[LOUPE_DETECTORS_MAX]; /* enum loupe_release, by word behind the header */
    bool tests_weak, cached;
};

/* ---- Is it safe? ---- */

static bool skip(struct probe *probe, const char *format, const char *detail) {
    loupe_format(probe->skipped, sizeof(probe->skipped), format, detail);
    return false;
}

/* clang's helpers release what they find in the block, and nothing else. Others may count objects
 * in ways of their own (Swift's do), or look at more than the captures. */
static bool is_clangs_helper(struct probe *probe) {
    static const char prefix[] = "__destroy_helper_block_";
    uint64_t offset;
    loupe_addr swift;
    loupe_addr helper = probe->block.dispose_helper;
    struct loupe_images *images = &probe->self->images;
    if (!loupe_images_hold_both(images, helper, probe->block.copy_helper) ||
        !loupe_images_hold_both(images, helper, probe->block.invoke))
        return skip(probe, "its code is not that of one loaded image", NULL);
    if (loupe_memory_name_address(probe->target.memory, helper, probe->helper_name,
                                  sizeof(probe->helper_name), &offset) &&
        offset == 0)
        return strncmp(probe->helper_name, prefix, sizeof(prefix) - 1) == 0 ||
               skip(probe, "its dispose helper is not clang's: %s", probe->helper_name);
    probe->helper_name[0] = '\0';
    if (!loupe_images_find(images, "swift_release", &swift))
        return skip(probe, "its dispose helper has no name and may be Swift's", NULL);
    return true;
}

/* A detector is a word: where words overlap, the helper would release half of one and half of the
 * next. */
static bool captures_are_aligned(struct probe *probe) {
    struct loupe_captures captures;
    if (loupe_captures_read(probe->target.memory, &probe->target.arena, &probe->block,
                            probe->target.abi->block_traits(&probe->target), &captures))
        return skip(probe, "no memory to look at its captures", NULL);
    for (uint32_t i = 0; i < captures.count; i++) {
        const struct loupe_capture *capture = &captures.items[i];
        bool may_be_released = loupe_capture_owns(capture) || capture->kind == LOUPE_CAPTURE_WEAK;
        if (may_be_released && capture->offset % WORD)
            return skip(probe, "it captures a reference that is not aligned", NULL);
    }
    return true;
}

static bool is_safe(struct probe *probe) {
    const struct loupe_block *block = &probe->block;
    if (CODE_POINTERS_ARE_SIGNED)
        return skip(probe, "pointers to code are signed", NULL);
    if (block->generic != LOUPE_GENERIC_NONE)
        return skip(probe, "the runtime itself releases its captures, by its descriptor", NULL);
    if (!block->dispose_helper)
        return skip(probe, "it has no dispose helper", NULL);
    if (block->flags & LOUPE_BLOCK_HAS_CTOR)
        return skip(probe, "it captures C++ objects, whose destructors would run", NULL);
    if (probe->word_count > LOUPE_DETECTORS_MAX)
        return skip(probe, "it is larger than the detectors reach", NULL);
    return captures_are_aligned(probe) && is_clangs_helper(probe);
}

/* ---- The probe ---- */

static void run_helper(void *ctx, void *subject) {
    const struct loupe_block *block = ctx;
    ((void (*)(void *))(uintptr_t)block->dispose_helper)(subject);
}

static void detect(struct probe *probe) {
    struct loupe_block *block = &probe->block;
    struct loupe_detectors detectors;
    const char *why;
    size_t header_words = block->header_size / WORD;
    uintptr_t *copy =
        loupe_arena_alloc_array(&probe->target.arena, header_words + probe->word_count, WORD);
    if (!copy || loupe_memory_read(probe->target.memory, block->address, copy, block->header_size))
        skip(probe, "no memory for a copy", NULL);
    else if (!loupe_detectors_init(&detectors, &probe->self->images, probe->target.abi->name,
                                   probe->word_count, &why))
        skip(probe, "%s", why);
    else {
        struct loupe_detector_call call = {.run = run_helper, .ctx = block};
        loupe_detectors_run(&detectors, call, copy, copy + header_words, probe->releases);
        probe->tests_weak = detectors.tests_weak;
        loupe_detectors_deinit(&detectors);
    }
}

static void make(struct probe *probe) {
    const struct loupe_block *block = &probe->block;
    probe->word_count = (unsigned)((block->size - block->header_size + WORD - 1) / WORD);
    if (!is_safe(probe))
        return;
    struct loupe_probe_key key = loupe_probe_key(probe->target.memory, block);
    if (loupe_probe_recall(&key, probe->word_count, probe->releases, &probe->tests_weak)) {
        probe->cached = true;
        return;
    }
    detect(probe);
    if (!probe->skipped[0])
        loupe_probe_remember(&key, probe->word_count, probe->releases, probe->tests_weak);
}

/* ---- The question ---- */

static enum loupe_status find_block(struct probe *probe, loupe_addr address,
                                    struct loupe_error *err) {
    struct loupe_target *target = &probe->target;
    struct loupe_object object;
    enum loupe_status status = loupe_abi_detect(target, err);
    if (!status)
        status = loupe_object_at(target, address, &object, err);
    if (status)
        return status;
    if (loupe_object_kind(&object) != LOUPE_NODE_BLOCK)
        return loupe_fail(err, LOUPE_ENOTOBJECT, address,
                          "0x%llx is not a block: it is of class %s", (unsigned long long)address,
                          object.cls->name);
    return loupe_block_read(target->memory, address, target->abi->block_traits(target),
                            &probe->block, err);
}

static enum loupe_capture_kind kind_of(enum loupe_release release) {
    switch (release) {
    case LOUPE_RELEASE_STRONG:
        return LOUPE_CAPTURE_STRONG;
    case LOUPE_RELEASE_BLOCK:
        return LOUPE_CAPTURE_BLOCK;
    case LOUPE_RELEASE_BYREF:
        return LOUPE_CAPTURE_BYREF;
    case LOUPE_RELEASE_WEAK:
        return LOUPE_CAPTURE_WEAK;
    case LOUPE_RELEASE_NONE:
        break;
    }
    return LOUPE_CAPTURE_UNKNOWN;
}

static void write_captures(struct loupe_json *json, const struct probe *probe) {
    loupe_json_begin_array(json);
    for (unsigned i = 0; i < probe->word_count; i++) {
        enum loupe_release release = (enum loupe_release)probe->releases[i];
        if (release == LOUPE_RELEASE_NONE)
            continue;
        loupe_json_begin_object(json);
        loupe_json_key(json, "offset");
        loupe_json_uint(json, probe->block.header_size + i * WORD);
        loupe_json_key(json, "size");
        loupe_json_uint(json, WORD);
        loupe_json_key(json, "kind");
        loupe_json_string(json, loupe_capture_kind_name(kind_of(release)));
        loupe_json_key(json, "evidence");
        loupe_json_begin_array(json);
        loupe_json_string(json, loupe_evidence_name(LOUPE_EVIDENCE_PROBE));
        loupe_json_end_array(json);
        loupe_json_end_object(json);
    }
    loupe_json_end_array(json);
}

static void write_block(struct loupe_json *json, const struct probe *probe) {
    loupe_json_begin_object(json);
    loupe_json_key(json, "address");
    loupe_json_address(json, probe->block.address);
    loupe_json_key(json, "size");
    loupe_json_uint(json, probe->block.size);
    loupe_json_key(json, "dispose_helper");
    if (probe->block.dispose_helper) {
        loupe_json_begin_object(json);
        loupe_json_key(json, "address");
        loupe_json_address(json, probe->block.dispose_helper);
        loupe_json_key(json, "symbol");
        loupe_json_string(json, probe->helper_name[0] ? probe->helper_name : NULL);
        loupe_json_end_object(json);
    } else {
        loupe_json_null(json);
    }
    loupe_json_end_object(json);
}

static void write_answer(struct loupe_json *json, const struct loupe_envelope *envelope,
                         const struct probe *probe) {
    bool skipped = probe->skipped[0] != '\0';
    loupe_report_begin(json, envelope, true);
    loupe_json_key(json, "block");
    write_block(json, probe);
    loupe_json_key(json, "skipped");
    loupe_json_string(json, skipped ? probe->skipped : NULL);
    loupe_json_key(json, "weak_tested");
    loupe_json_bool(json, !skipped && probe->tests_weak);
    loupe_json_key(json, "cached");
    loupe_json_bool(json, probe->cached);
    loupe_json_key(json, "captures");
    if (skipped)
        loupe_json_null(json);
    else
        write_captures(json, probe);
    loupe_report_end(json);
}

void loupe_probe(struct loupe_self *self, struct loupe_memory *memory,
                 const struct loupe_chunk_ops *chunks, loupe_addr address, struct loupe_sink sink) {
    struct loupe_json json;
    struct loupe_error err;
    struct probe probe = {.self = self};
    loupe_json_init(&json, sink);
    loupe_target_init(&probe.target, memory, chunks);
    enum loupe_status status = find_block(&probe, address, &err);
    if (!status)
        make(&probe);
    struct loupe_envelope envelope = {.query = "dispose-probe",
                                      .engine = "helper",
                                      .abi = probe.target.abi ? probe.target.abi->name : NULL,
                                      .pointer_size = memory->machine.pointer_size};
    if (status)
        loupe_report_error(&json, &envelope, &err);
    else
        write_answer(&json, &envelope, &probe);
    loupe_json_finish(&json);
    loupe_target_deinit(&probe.target);
}
