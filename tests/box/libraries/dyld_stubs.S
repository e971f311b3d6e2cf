#include "stub.inc"
#include "dyld_names.h"
