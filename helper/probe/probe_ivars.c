/* .cxx_destruct run on an instance whose ivars are detectors. */
#include "probe/probe.h"
#include "probe/trial.h"
#include "types/encoding.h"

#include <string.h>

enum { WORD = LOUPE_TRIAL_WORD, PATH_CAPACITY = 512 };

/* One class of the hierarchy: its own ivars, its own .cxx_destruct. */
struct level {
    struct level *next; /* of the superclass; NULL: none */
    const struct loupe_class *cls;
    const struct loupe_class_layout *layout;
    uint64_t isa; /* of the subject */
    struct loupe_trial trial;
};

/* ---- Is it safe? ---- */

static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text), end_length = strlen(end);
    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

/* The name of a method: -[Owner .cxx_destruct], or _i_Owner__.cxx_destruct on GNUstep's runtime. */
static bool is_clangs_name(const char *name) {
    if (strncmp(name, "-[", 2) == 0)
        return ends_with(name, " .cxx_destruct]");
    return strncmp(name, "_i_", 3) == 0 && ends_with(name, "_.cxx_destruct");
}

/* Any of the characters; a NUL is none. */
static bool is_among(char c, const char *characters) {
    return c && memchr(characters, c, strlen(characters)) != NULL;
}

/* Without qualifiers; of an array, the type of its elements. */
static const char *element_type(const char *type) {
    while (is_among(*type, "rnNoORVA[0123456789"))
        type++;
    return type;
}

/* Structs of C that system headers declare: no destructor has to be feared. */
static bool is_plain_struct(const char *type) {
    static const char *const names[] = {
        "CGPoint",      "CGSize",       "CGRect",           "CGVector", "CGAffineTransform",
        "_NSPoint",     "_NSSize",      "_NSRect",          "_NSRange", "CATransform3D",
        "UIEdgeInsets", "NSEdgeInsets", "os_unfair_lock_s", "UIOffset", "_opaque_pthread_mutex_t"};
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        size_t length = strlen(names[i]);
        if (strncmp(type + 1, names[i], length) == 0 && is_among(type[1 + length], "=}"))
            return true;
    }
    return false;
}

/* Code that destroys C++ objects looks at more than references, and acts on the program. That a
 * struct is none cannot be told from its encoding. */
static bool is_destroyed_by_releases(struct level *level, const struct loupe_ivar *ivar) {
    const char *type = element_type(ivar->type);
    if (is_among(*type, "{(") && !is_plain_struct(type))
        return loupe_trial_skip(
            &level->trial, "its ivar %s is a struct, which may have a C++ destructor", ivar->name);
    if (!is_among(*type, "{@#:^*BcCsSiIlLqQtTfdDbj"))
        return loupe_trial_skip(&level->trial, "the type of its ivar %s is not known", ivar->name);
    if (ivar->size >= WORD && ivar->offset % WORD)
        return loupe_trial_skip(&level->trial, "its ivar %s is not aligned", ivar->name);
    return true;
}

/* Whether the descriptions leave room for nothing else. */
static bool ivars_are_all_known(struct level *level) {
    const struct loupe_class_layout *layout = level->layout;
    uint64_t end = level->cls->instance_start;
    bool gap = layout->damaged || !layout->ivar_count;
    for (uint32_t i = 0; i < layout->ivar_count; i++) {
        const struct loupe_ivar *ivar = &layout->ivars[i];
        gap = gap || ivar->offset >= end + WORD;
        if (ivar->offset + ivar->size > end)
            end = ivar->offset + ivar->size;
    }
    gap = gap || level->cls->instance_size >= end + WORD;
    return !gap || loupe_trial_skip(&level->trial, "not all of its ivars are described", NULL);
}

static bool is_safe(struct level *level) {
    struct loupe_trial *trial = &level->trial;
    if (level->cls->flags & LOUPE_CLASS_SWIFT)
        return loupe_trial_skip(trial, "it is written in Swift", NULL);
    if (!trial->code)
        return loupe_trial_skip(trial, "it has no .cxx_destruct", NULL);
    if (level->cls->flags & LOUPE_CLASS_CXX_IVARS)
        return loupe_trial_skip(trial, "it has C++ objects, whose destructors would run", NULL);
    if (!loupe_trial_is_possible(trial) || !ivars_are_all_known(level))
        return false;
    for (uint32_t i = 0; i < level->layout->ivar_count; i++)
        if (!is_destroyed_by_releases(level, &level->layout->ivars[i]))
            return false;
    return loupe_trial_is_clangs(trial, is_clangs_name, &level->cls->address, 1);
}

/* ---- The probe ---- */

/* clang's method does not look at its selector. */
static void run_method(void *ctx, void *subject) {
    const loupe_addr *code = ctx;
    ((void (*)(void *, const char *))(uintptr_t)*code)(subject, NULL);
}

static enum loupe_status read_level(struct level *level, struct loupe_self *self,
                                    struct loupe_target *target, const struct loupe_class *cls) {
    *level =
        (struct level){.cls = cls, .isa = cls->address, .trial = {.self = self, .target = target}};
    struct loupe_trial *trial = &level->trial;
    uint32_t first = (cls->instance_start + WORD - 1) / WORD;
    uint32_t end = (cls->instance_size + WORD - 1) / WORD;
    if (target->abi->ivar_destructor)
        trial->code = target->abi->ivar_destructor(target, cls);
    trial->header = &level->isa;
    trial->header_words = 1;
    trial->first_word = first ? first : 1;
    trial->word_count = end > trial->first_word ? end - trial->first_word : 0;
    return loupe_class_layout(target, cls, &level->layout);
}

/* ---- The answer ---- */

static const struct loupe_ivar *ivar_at(const struct loupe_class_layout *layout, uint64_t offset) {
    for (uint32_t i = 0; i < layout->ivar_count; i++) {
        const struct loupe_ivar *ivar = &layout->ivars[i];
        if (offset >= ivar->offset && offset - ivar->offset < ivar->size)
            return ivar;
    }
    return NULL;
}

static void write_path(struct loupe_json *json, const struct level *level, uint64_t offset) {
    const struct loupe_ivar *ivar = ivar_at(level->layout, offset);
    struct loupe_encoding encoding;
    struct loupe_encoding_rules rules =
        loupe_encoding_rules_of(level->trial.target->memory->machine);
    char path[PATH_CAPACITY];
    loupe_json_key(json, "path");
    if (!ivar) {
        loupe_json_null(json);
    } else if (loupe_encoding_init(&encoding, loupe_span_of(ivar->type), &rules, ivar->size)) {
        loupe_json_string(json, ivar->name);
    } else {
        loupe_encoding_path_at(&encoding, loupe_span_of(ivar->name), offset - ivar->offset, path,
                               sizeof(path), NULL);
        loupe_json_string(json, path);
    }
}

static void write_ivar(struct loupe_json *json, const struct level *level, uint64_t offset,
                       enum loupe_probed_release release) {
    loupe_json_begin_object(json);
    write_path(json, level, offset);
    loupe_json_put_uint(json, "offset", offset);
    loupe_json_put_uint(json, "size", WORD);
    loupe_json_put_string(json, "ownership", release == LOUPE_RELEASE_WEAK ? "weak" : "strong");
    loupe_trial_write_evidence(json);
    loupe_json_end_object(json);
}

static void write_level(struct loupe_json *json, const struct level *level) {
    const struct loupe_trial *trial = &level->trial;
    loupe_json_begin_object(json);
    loupe_json_put_string(json, "class", level->cls->name);
    loupe_trial_write_code(json, "method", trial);
    loupe_trial_write_outcome(json, trial);
    loupe_json_key(json, "ivars");
    if (trial->skipped[0]) {
        loupe_json_null(json);
    } else {
        loupe_json_begin_array(json);
        for (unsigned i = 0; i < trial->word_count; i++)
            if (trial->releases[i] != LOUPE_RELEASE_NONE)
                write_ivar(json, level, (uint64_t)(trial->first_word + i) * WORD,
                           (enum loupe_probed_release)trial->releases[i]);
        loupe_json_end_array(json);
    }
    loupe_json_end_object(json);
}

static void write_answer(struct loupe_json *json, const struct loupe_envelope *envelope,
                         const struct loupe_object *object, const struct level *levels) {
    loupe_report_begin(json, envelope, true);
    loupe_json_put_address(json, "object", object->address);
    loupe_json_put_string(json, "class", levels->cls->name);
    loupe_json_key(json, "levels");
    loupe_json_begin_array(json);
    for (const struct level *level = levels; level; level = level->next)
        write_level(json, level);
    loupe_json_end_array(json);
    loupe_report_not_followed(json, &levels->trial.target->findings);
    loupe_report_end(json);
}

/* ---- The question ---- */

static enum loupe_status probe_levels(struct loupe_self *self, struct loupe_target *target,
                                      const struct loupe_class *cls, struct level **ret) {
    struct loupe_class_chain chain = loupe_class_chain(cls);
    const struct loupe_class *next;
    struct level **end = ret;
    *ret = NULL;
    while ((next = loupe_class_chain_next(target, &chain))) {
        struct level *level = loupe_arena_alloc(&target->arena, sizeof(*level));
        if (!level || read_level(level, self, target, next))
            return LOUPE_ENOMEM;
        if (is_safe(level))
            loupe_trial_make(&level->trial, run_method);
        *end = level;
        end = &level->next;
    }
    if (chain.broken)
        loupe_findings_add(&target->findings, LOUPE_FINDING_CLASS_LAYOUT, cls->address);
    return chain.status;
}

enum loupe_status loupe_probe_ivars(struct loupe_self *self, struct loupe_target *target,
                                    const struct loupe_object *object, struct loupe_json *json,
                                    const struct loupe_envelope *envelope,
                                    struct loupe_error *err) {
    const struct loupe_class *cls;
    struct level *levels;
    enum loupe_status status = loupe_object_meant_class(target, object, &cls, err);
    if (status)
        return status;
    status = probe_levels(self, target, cls, &levels);
    if (status)
        return loupe_fail_at(err, status, object->address);
    write_answer(json, envelope, object, levels);
    return LOUPE_OK;
}
