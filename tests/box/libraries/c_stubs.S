#include "stub.inc"
#include "c_names.h"
