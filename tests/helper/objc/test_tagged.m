/*
 * Pointers with a tag in their first byte, which arm64 ignores and MTE gives to blocks: as words of
 * instance variables, of raw memory and of the question itself. One object has one address.
 */
#include "check.h"
#include "loupe_helper.h"

#include <Foundation/Foundation.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define TAG (UINT64_C(0x0b) << 56)

@interface Tagged : NSObject {
  @public
    id _other; /* owned */
}
@end
@implementation Tagged
@end

/* The word of an instance variable with a tag, which the processor does not see. */
static void tag(Tagged *object, uint64_t bits) {
    uint64_t word;
    void *slot = (void *)&object->_other;
    memcpy(&word, slot, sizeof(word));
    word = (word & ~TAG) | bits;
    memcpy(slot, &word, sizeof(word));
}

static const void *address_of(Tagged *object, uint64_t bits) {
    return (const void *)((uintptr_t)(__bridge const void *)object | bits);
}

/* What answers of one ring have in common: all but the time. */
static bool tells_the_ring(const char *answer, Tagged *one, Tagged *other) {
    char address[2][32];
    snprintf(address[0], sizeof(address[0]), "\"0x%llx\"", (unsigned long long)(uintptr_t)address_of(one, 0));
    snprintf(address[1], sizeof(address[1]), "\"0x%llx\"", (unsigned long long)(uintptr_t)address_of(other, 0));
    bool tells = strstr(answer, "\"status\":\"ok\"") && strstr(answer, "\"knots_found\":1") &&
                 strstr(answer, address[0]) && strstr(answer, address[1]);
    if (!tells)
        printf("    %s\n", answer);
    return tells;
}

static void test_a_ring_of_tagged_pointers(void) {
    Tagged *one = [Tagged new], *other = [Tagged new];
    one->_other = other;
    other->_other = one;
    tag(one, TAG);
    tag(other, TAG);
    CHECK(((Tagged *)((Tagged *)one->_other)->_other)->_other != nil);
    CHECK_EQ(loupe_count_cycles(address_of(one, 0)), 1);
    CHECK_EQ(loupe_count_cycles(address_of(one, TAG)), 1);
    CHECK(tells_the_ring(loupe_retain_cycles(address_of(one, 0)), one, other));
    CHECK(tells_the_ring(loupe_retain_cycles(address_of(one, TAG)), one, other));
    tag(one, 0);
    tag(other, 0);
    one->_other = nil;
}

int main(void) {
    RUN(test_a_ring_of_tagged_pointers);
    return check_report();
}
