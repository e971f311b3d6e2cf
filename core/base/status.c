#include "base/status.h"

#include "base/text.h"

const char *loupe_status_name(enum loupe_status status) {
    static const char *const names[LOUPE_STATUS_COUNT] = {
        [LOUPE_OK] = "ok",
        [LOUPE_EUSAGE] = "usage",
        [LOUPE_ENOTOBJECT] = "not-an-object",
        [LOUPE_EFAULT] = "unreadable",
        [LOUPE_ENORUNTIME] = "no-runtime",
        [LOUPE_ELIMIT] = "limit",
        [LOUPE_ETIMEOUT] = "timeout",
        [LOUPE_ENOMEM] = "internal",
        [LOUPE_EINTERNAL] = "internal",
    };
    return (unsigned)status < LOUPE_STATUS_COUNT ? names[status] : "internal";
}

const char *loupe_detail_name(enum loupe_error_detail detail) {
    static const char *const names[LOUPE_DETAIL_COUNT] = {
        [LOUPE_DETAIL_NONE] = NULL,
        [LOUPE_DETAIL_NIL] = "nil",
        [LOUPE_DETAIL_ARGUMENT] = "argument",
        [LOUPE_DETAIL_TAGGED_POINTER] = "tagged-pointer",
        [LOUPE_DETAIL_UNALIGNED] = "unaligned",
        [LOUPE_DETAIL_UNUSED_STACK] = "unused-stack",
        [LOUPE_DETAIL_FREED] = "freed",
        [LOUPE_DETAIL_MAYBE_FREED] = "maybe-freed",
        [LOUPE_DETAIL_NO_CLASS] = "no-class",
        [LOUPE_DETAIL_UNREADABLE_CLASS] = "unreadable-class",
        [LOUPE_DETAIL_INSIDE_OBJECT] = "inside-object",
        [LOUPE_DETAIL_NO_BLOCK] = "no-block",
        [LOUPE_DETAIL_BAD_BLOCK] = "bad-block",
        [LOUPE_DETAIL_NO_MEMORY] = "no-memory",
    };
    return (unsigned)detail < LOUPE_DETAIL_COUNT ? names[detail] : NULL;
}

enum loupe_status loupe_fail(struct loupe_error *err, enum loupe_status code, loupe_addr address,
                             const char *format, ...) {
    if (err) {
        va_list arguments;
        va_start(arguments, format);
        loupe_format_list(err->message, sizeof(err->message), format, arguments);
        va_end(arguments);
        err->code = code;
        err->detail = code == LOUPE_ENOMEM ? LOUPE_DETAIL_NO_MEMORY : LOUPE_DETAIL_NONE;
        err->address = address;
    }
    return code;
}

enum loupe_status loupe_detail(struct loupe_error *err, enum loupe_error_detail detail,
                               enum loupe_status status) {
    if (err)
        err->detail = detail;
    return status;
}

enum loupe_status loupe_fail_at(struct loupe_error *err, enum loupe_status code,
                                loupe_addr address) {
    unsigned long long shown = address;
    switch (code) {
    case LOUPE_ENOMEM:
        return loupe_fail(err, code, address, "0x%llx cannot be searched: out of memory", shown);
    case LOUPE_ELIMIT:
        return loupe_fail(err, code, address,
                          "0x%llx cannot be searched: the limit of bytes to read is reached",
                          shown);
    default:
        return loupe_fail(err, code, address, "0x%llx cannot be searched", shown);
    }
}

void loupe_findings_add(struct loupe_findings *findings, enum loupe_finding reason,
                        loupe_addr example) {
    if (findings->by_reason[reason].count++ == 0)
        findings->by_reason[reason].example = example;
}

struct finding_words {
    const char *code, *text;
};

static const struct finding_words *words_of(enum loupe_finding reason) {
    static const struct finding_words words[LOUPE_FINDING_COUNT] = {
        [LOUPE_FINDING_UNREADABLE] = {"unreadable", "unreadable memory"},
        [LOUPE_FINDING_NOT_AN_OBJECT] = {"not-an-object",
                                         "strong references without a valid object"},
        [LOUPE_FINDING_BLOCK_LAYOUT] = {"block-layout", "blocks without a layout"},
        [LOUPE_FINDING_BYREF_LAYOUT] = {"byref-layout", "__block variables without a layout"},
        [LOUPE_FINDING_CLASS_LAYOUT] = {"class-layout", "classes without a layout"},
        [LOUPE_FINDING_SWIFT] = {"swift", "Swift objects"},
        [LOUPE_FINDING_CXX] = {"cxx-member", "C++ members"},
        [LOUPE_FINDING_POINTER_TO_MEMORY] = {"pointer-to-memory",
                                             "C pointers to memory with objects in it"},
        [LOUPE_FINDING_POINTER_TO_OBJECT] = {"pointer-to-object", "C pointers to an object"},
        [LOUPE_FINDING_COLLECTION_LAYOUT] = {"collection-layout",
                                             "collections of an unknown layout"},
        [LOUPE_FINDING_OPAQUE_HOLDER] = {"opaque-holder", "opaque objects that may hold others"},
        [LOUPE_FINDING_ASSOCIATIONS] = {"associations", "associated objects that cannot be read"},
        [LOUPE_FINDING_LIMIT] = {"limit", "objects beyond the limit"},
        [LOUPE_FINDING_INTERRUPTED] = {"interrupted",
                                       "objects left when the search was interrupted"},
        [LOUPE_FINDING_SEARCH] = {"search-interrupted",
                                  "retain cycles left when the search was interrupted"},
    };
    static const struct finding_words unknown = {"unknown", "unknown reason"};
    return (unsigned)reason < LOUPE_FINDING_COUNT ? &words[reason] : &unknown;
}

const char *loupe_finding_text(enum loupe_finding reason) {
    return words_of(reason)->text;
}

const char *loupe_finding_code(enum loupe_finding reason) {
    return words_of(reason)->code;
}
