#include "probe/trial.h"

#include "blocks/captures.h"
#include "probe/probe_cache.h"
#include "runtime/abi.h"

#include <string.h>

#if defined(__arm64e__)
enum { CODE_POINTERS_ARE_SIGNED = 1 };
#else
enum { CODE_POINTERS_ARE_SIGNED = 0 };
#endif

/* Of ELF they do. A symbol of Mach-O seems to reach to the next one, which may have been stripped.
 */
#if defined(__APPLE__)
enum { SYMBOLS_HAVE_SIZES = 0 };
#else
enum { SYMBOLS_HAVE_SIZES = 1 };
#endif

/* ---- Is it safe? ---- */

bool loupe_trial_skip(struct loupe_trial *trial, const char *format, const char *detail) {
    loupe_format(trial->skipped, sizeof(trial->skipped), format, detail);
    return false;
}

bool loupe_trial_is_possible(struct loupe_trial *trial) {
    if (CODE_POINTERS_ARE_SIGNED)
        return loupe_trial_skip(trial, "pointers to code are signed", NULL);
    if (trial->word_count > LOUPE_DETECTORS_MAX)
        return loupe_trial_skip(trial, "it is larger than the detectors reach", NULL);
    return true;
}

bool loupe_trial_is_clangs(struct loupe_trial *trial, bool (*is_clangs_name)(const char *name),
                           const loupe_addr *neighbours, unsigned neighbour_count) {
    uint64_t offset;
    struct loupe_images *images = &trial->self->images;
    for (unsigned i = 0; i < neighbour_count; i++)
        if (!loupe_images_hold_both(images, trial->code, neighbours[i]))
            return loupe_trial_skip(trial, "its code is not that of one loaded image", NULL);
    bool named = loupe_memory_name_address(trial->target->memory, trial->code, trial->code_name,
                                           sizeof(trial->code_name), &offset);
    if (named && offset == 0)
        return is_clangs_name(trial->code_name) ||
               loupe_trial_skip(trial, "what destroys it is not clang's: %s", trial->code_name);
    if (named && SYMBOLS_HAVE_SIZES)
        return loupe_trial_skip(trial, "what destroys it begins inside of %s", trial->code_name);
    trial->code_name[0] = '\0';
    if (loupe_images_may_have_swift(images, trial->code))
        return loupe_trial_skip(
            trial, "what destroys it has no name, and its image has Swift code or uses Swift",
            NULL);
    return true;
}

/* ---- The run ---- */

static void detect(struct loupe_trial *trial, void (*run)(void *ctx, void *subject)) {
    struct loupe_detectors detectors;
    const char *why;
    size_t words = (size_t)trial->first_word + trial->word_count;
    uintptr_t *subject = loupe_arena_alloc_array(&trial->target->arena, words, sizeof(*subject));
    if (!subject) {
        loupe_trial_skip(trial, "out of memory while copying it", NULL);
        return;
    }
    memcpy(subject, trial->header, trial->header_words * sizeof(*subject));
    if (!loupe_detectors_init(&detectors, &trial->self->images, trial->target->abi->name,
                              trial->word_count, &why)) {
        loupe_trial_skip(trial, "%s", why);
        return;
    }
    struct loupe_detector_call call = {.run = run, .ctx = &trial->code};
    loupe_detectors_run(&detectors, call, subject, subject + trial->first_word, trial->releases);
    trial->tests_weak = detectors.tests_weak;
    loupe_detectors_deinit(&detectors);
}

void loupe_trial_make(struct loupe_trial *trial, void (*run)(void *ctx, void *subject)) {
    struct loupe_probe_key key =
        loupe_probe_key(trial->target->memory, trial->code, trial->first_word, trial->word_count);
    trial->cached = loupe_probe_recall(&key, trial->releases, &trial->tests_weak);
    if (trial->cached)
        return;
    detect(trial, run);
    if (!trial->skipped[0])
        loupe_probe_remember(&key, trial->releases, trial->tests_weak);
}

/* ---- Writing ---- */

void loupe_trial_write_outcome(struct loupe_json *json, const struct loupe_trial *trial) {
    bool skipped = trial->skipped[0] != '\0';
    loupe_json_put_string(json, "skipped", skipped ? trial->skipped : NULL);
    loupe_json_put_bool(json, "weak_tested", !skipped && trial->tests_weak);
    loupe_json_put_bool(json, "cached", trial->cached);
}

void loupe_trial_write_evidence(struct loupe_json *json) {
    loupe_json_key(json, "evidence");
    loupe_json_begin_array(json);
    loupe_json_string(json, loupe_evidence_name(LOUPE_EVIDENCE_PROBE));
    loupe_json_end_array(json);
}

void loupe_trial_write_code(struct loupe_json *json, const char *key,
                            const struct loupe_trial *trial) {
    loupe_json_key(json, key);
    if (!trial->code) {
        loupe_json_null(json);
        return;
    }
    loupe_json_begin_object(json);
    loupe_json_put_address(json, "address", trial->code);
    loupe_json_put_string(json, "symbol", trial->code_name[0] ? trial->code_name : NULL);
    loupe_json_end_object(json);
}
