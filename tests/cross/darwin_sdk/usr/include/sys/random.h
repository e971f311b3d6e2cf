#pragma once
#include <_types.h>
__BEGIN_DECLS
int getentropy(void *, size_t);
__END_DECLS
