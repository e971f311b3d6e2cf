#include "stub.inc"
#include "kernel_names.h"
