#include "block.h"

#include <Block.h>

static volatile int used;

id make_block(id owner) {
    return (id)Block_copy(^{
        used = owner != nil;
    });
}

id make_block_of_block(id block) {
    void (^inner)(void) = (void (^)(void))block;
    id outer = (id)Block_copy(^{
        inner();
    });
    Block_release(inner);
    return outer;
}

void release_block(id block) {
    Block_release((void *)block);
}
