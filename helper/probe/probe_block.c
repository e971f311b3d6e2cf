/* The dispose helper of a block run on a copy whose captures are detectors. */
#include "blocks/block.h"
#include "blocks/captures.h"
#include "probe/probe.h"
#include "probe/trial.h"

#include <string.h>

struct block_probe {
    struct loupe_block block;
    uint64_t header[8]; /* more words than any header has */
    struct loupe_trial trial;
};

/* ---- Is it safe? ---- */

static bool is_clangs_name(const char *name) {
    static const char prefix[] = "__destroy_helper_block_";
    return strncmp(name, prefix, sizeof(prefix) - 1) == 0;
}

/* A detector is a word: where words overlap, the helper would release half of one and half of the
 * next. */
static bool captures_are_aligned(struct block_probe *probe) {
    struct loupe_captures captures;
    struct loupe_target *target = probe->trial.target;
    if (loupe_captures_read(target->memory, &target->arena, &probe->block,
                            target->abi->block_traits(target), &captures))
        return loupe_trial_skip(&probe->trial, "out of memory while reading its captures", NULL);
    for (uint32_t i = 0; i < captures.count; i++) {
        const struct loupe_capture *capture = &captures.items[i];
        bool may_be_released = loupe_capture_owns(capture) || capture->kind == LOUPE_CAPTURE_WEAK;
        if (may_be_released && capture->offset % LOUPE_TRIAL_WORD)
            return loupe_trial_skip(&probe->trial, "it captures a reference that is not aligned",
                                    NULL);
    }
    return true;
}

static bool is_safe(struct block_probe *probe) {
    const struct loupe_block *block = &probe->block;
    struct loupe_trial *trial = &probe->trial;
    const loupe_addr neighbours[] = {block->copy_helper, block->invoke};
    if (block->generic != LOUPE_GENERIC_NONE)
        return loupe_trial_skip(
            trial, "the runtime itself releases its captures, by its descriptor", NULL);
    if (!block->dispose_helper)
        return loupe_trial_skip(trial, "it has no dispose helper", NULL);
    if (block->flags & LOUPE_BLOCK_HAS_CTOR)
        return loupe_trial_skip(trial, "it captures C++ objects, whose destructors would run",
                                NULL);
    return loupe_trial_is_possible(trial) && captures_are_aligned(probe) &&
           loupe_trial_is_clangs(trial, is_clangs_name, neighbours, 2);
}

/* ---- The probe ---- */

static void run_helper(void *ctx, void *subject) {
    const loupe_addr *code = ctx;
    ((void (*)(void *))(uintptr_t)*code)(subject);
}

static enum loupe_status read_block(struct block_probe *probe, loupe_addr address,
                                    struct loupe_error *err) {
    struct loupe_target *target = probe->trial.target;
    struct loupe_block *block = &probe->block;
    enum loupe_status status =
        loupe_block_read(target->memory, address, target->abi->block_traits(target), block, err);
    if (status)
        return status;
    if (block->header_size > sizeof(probe->header) ||
        loupe_memory_read(target->memory, address, probe->header, block->header_size))
        return loupe_fail(err, LOUPE_EFAULT, address, LOUPE_BLOCK_UNREADABLE,
                          (unsigned long long)address);
    probe->trial.code = block->dispose_helper;
    probe->trial.header = probe->header;
    probe->trial.header_words = block->header_size / LOUPE_TRIAL_WORD;
    probe->trial.first_word = probe->trial.header_words;
    probe->trial.word_count =
        (unsigned)((block->size - block->header_size + LOUPE_TRIAL_WORD - 1) / LOUPE_TRIAL_WORD);
    return LOUPE_OK;
}

/* ---- The answer ---- */

static enum loupe_capture_kind kind_of(enum loupe_probed_release release) {
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

static void write_capture(struct loupe_json *json, uint64_t offset,
                          enum loupe_probed_release release) {
    loupe_json_begin_object(json);
    loupe_json_put_uint(json, "offset", offset);
    loupe_json_put_uint(json, "size", LOUPE_TRIAL_WORD);
    loupe_json_put_string(json, "kind", loupe_capture_kind_name(kind_of(release)));
    loupe_trial_write_evidence(json);
    loupe_json_end_object(json);
}

static void write_captures(struct loupe_json *json, const struct loupe_trial *trial) {
    loupe_json_key(json, "captures");
    if (trial->skipped[0]) {
        loupe_json_null(json);
        return;
    }
    loupe_json_begin_array(json);
    for (unsigned i = 0; i < trial->word_count; i++)
        if (trial->releases[i] != LOUPE_RELEASE_NONE)
            write_capture(json, (uint64_t)(trial->first_word + i) * LOUPE_TRIAL_WORD,
                          (enum loupe_probed_release)trial->releases[i]);
    loupe_json_end_array(json);
}

enum loupe_status loupe_probe_block(struct loupe_self *self, struct loupe_target *target,
                                    loupe_addr address, struct loupe_json *json,
                                    const struct loupe_envelope *envelope,
                                    struct loupe_error *err) {
    struct block_probe probe = {.trial = {.self = self, .target = target}};
    enum loupe_status status = read_block(&probe, address, err);
    if (status)
        return status;
    if (is_safe(&probe))
        loupe_trial_make(&probe.trial, run_helper);
    loupe_report_begin(json, envelope, true);
    loupe_json_key(json, "block");
    loupe_json_begin_object(json);
    loupe_json_put_address(json, "address", address);
    loupe_json_put_uint(json, "size", probe.block.size);
    loupe_trial_write_code(json, "dispose_helper", &probe.trial);
    loupe_json_end_object(json);
    loupe_trial_write_outcome(json, &probe.trial);
    write_captures(json, &probe.trial);
    loupe_report_end(json);
    return LOUPE_OK;
}
