#include "keepers.h"

#include <string.h>

const struct loupe_keeper *loupe_keeper_of(const struct loupe_target *target,
                                           const struct loupe_class *cls) {
    const struct loupe_abi *abi = target->abi;
    for (unsigned i = 0; i < *abi->keeper_count; i++) {
        if (strcmp(abi->keepers[i].class_name, cls->name) == 0)
            return &abi->keepers[i];
    }
    return NULL;
}
