/*
 * An Owner that six peers own, and that owns six of eight by members of structs: two of a small one,
 * two of a large one and one of each element of an array in it. Members that are weak or unretained
 * stand between them. Says "ready", ends with its input.
 */
#import <Foundation/Foundation.h>
#include <stdio.h>

@interface Peer : NSObject {
  @public
    id owner;
}
@end
@implementation Peer
@end

struct element {
    __strong id first;
    int number;
    __weak id second;
};
struct large {
    __strong id first;
    int number;
    __strong id second;
    __unsafe_unretained id third;
    __weak id fourth;
    struct element elements[2];
};

@interface Owner : NSObject {
  @public
    struct large large;
    struct {
        int number;
        __strong id first, second;
    } small;
}
@end
@implementation Owner
@end

static Peer *peer_of(Owner *owner) {
    Peer *peer = [Peer new];
    peer->owner = owner;
    return peer;
}

static __attribute__((noinline)) void leak(void) {
    Owner *owner = [Owner new];
    Peer *known = [Peer new];
    known->owner = owner;
    owner->large.first = peer_of(owner);
    owner->large.second = peer_of(owner);
    owner->large.third = owner->large.first;
    owner->large.fourth = known;
    owner->large.elements[0].first = peer_of(owner);
    owner->large.elements[1].first = peer_of(owner);
    owner->large.elements[1].second = known;
    owner->small.first = peer_of(owner);
    owner->small.second = peer_of(owner);
}

static __attribute__((noinline)) void overwrite_stack(void) {
    volatile char room[1 << 14];
    for (size_t i = 0; i < sizeof(room); i++)
        room[i] = 0;
}

int main(void) {
    leak();
    overwrite_stack();
    puts("ready");
    fflush(stdout);
    getchar();
    return 0;
}
