/*
 * GCC's libobjc, with the blocks runtime of compiler-rt (Debian's libBlocksRuntime). There is no
 * ARC and no weak reference; helpers release blocks and the storage of __block variables, and leave
 * objects alone. Both are counted in their flags, as with Apple.
 */
#include "probe/detectors.h"

static bool prepare(struct loupe_detectors *detectors, const char **why_ret) {
    (void)detectors;
    (void)why_ret;
    return true;
}

const struct loupe_detector_runtime loupe_detectors_gcc = {
    .abi = "gcc", .passes = 1, .prepare = prepare};
