#include "runtime/abi.h"

static const struct loupe_abi *const abis[] = {&loupe_abi_apple, &loupe_abi_gnustep2,
                                               &loupe_abi_gcc};

enum loupe_status loupe_abi_detect(struct loupe_target *target, struct loupe_error *err) {
    for (unsigned i = 0; i < sizeof(abis) / sizeof(abis[0]); i++) {
        enum loupe_status status = abis[i]->detect(target);
        if (status == LOUPE_OK) {
            target->abi = abis[i];
            return LOUPE_OK;
        }
        if (status != LOUPE_ENORUNTIME)
            return loupe_fail(err, status, 0,
                              "out of memory while looking for the Objective-C runtime");
    }
    return loupe_fail(err, LOUPE_ENORUNTIME, 0,
                      "no Objective-C runtime that Loupe knows in the target");
}

const struct loupe_abi *loupe_abi_named(struct loupe_span name) {
    for (unsigned i = 0; i < sizeof(abis) / sizeof(abis[0]); i++) {
        if (loupe_span_equals(name, abis[i]->name))
            return abis[i];
    }
    return loupe_span_equals(name, loupe_abi_none.name) ? &loupe_abi_none : NULL;
}
