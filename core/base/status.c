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

enum loupe_status loupe_fail(struct loupe_error *err, enum loupe_status code, loupe_addr address,
                             const char *format, ...) {
    if (err) {
        va_list arguments;
        va_start(arguments, format);
        loupe_format_list(err->message, sizeof(err->message), format, arguments);
        va_end(arguments);
        err->code = code;
        err->address = address;
    }
    return code;
}

enum loupe_status loupe_fail_at(struct loupe_error *err, enum loupe_status code,
                                loupe_addr address) {
    unsigned long long shown = address;
    switch (code) {
    case LOUPE_ENOMEM:
        return loupe_fail(err, code, address, "0x%llx cannot be looked at: no memory is left",
                          shown);
    case LOUPE_ELIMIT:
        return loupe_fail(err, code, address,
                          "0x%llx cannot be looked at: the bytes that may be read are used up",
                          shown);
    default:
        return loupe_fail(err, code, address, "0x%llx cannot be looked at", shown);
    }
}

void loupe_findings_add(struct loupe_findings *findings, enum loupe_finding reason,
                        loupe_addr example) {
    if (findings->by_reason[reason].count++ == 0)
        findings->by_reason[reason].example = example;
}

const char *loupe_finding_text(enum loupe_finding reason) {
    static const char *const texts[LOUPE_FINDING_COUNT] = {
        [LOUPE_FINDING_UNREADABLE] = "unreadable memory",
        [LOUPE_FINDING_NOT_AN_OBJECT] = "strong slot without a valid object",
        [LOUPE_FINDING_BLOCK_LAYOUT] = "block without a layout",
        [LOUPE_FINDING_BYREF_LAYOUT] = "__block variable without a layout",
        [LOUPE_FINDING_CLASS_LAYOUT] = "class without a layout",
        [LOUPE_FINDING_SWIFT] = "Swift object",
        [LOUPE_FINDING_CXX] = "C++ member",
        [LOUPE_FINDING_POINTER_TO_MEMORY] = "pointer to memory that is no object",
        [LOUPE_FINDING_POINTER_TO_OBJECT] = "plain pointer to an object",
        [LOUPE_FINDING_COLLECTION_LAYOUT] = "collection of an unknown layout",
        [LOUPE_FINDING_OPAQUE_HOLDER] = "object that holds more than Loupe can see",
        [LOUPE_FINDING_ASSOCIATIONS] = "associated objects that cannot be read",
        [LOUPE_FINDING_LIMIT] = "objects beyond the limit",
        [LOUPE_FINDING_INTERRUPTED] = "objects left when the walk was interrupted",
        [LOUPE_FINDING_SEARCH] = "retain cycles left when the search was interrupted",
    };
    return (unsigned)reason < LOUPE_FINDING_COUNT ? texts[reason] : "unknown reason";
}
