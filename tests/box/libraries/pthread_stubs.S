#include "stub.inc"
#include "pthread_names.h"
