/*
 * A program that has functions of the helper's names, and of the loader's: none of them is to be
 * called. Stops in namesakesReady().
 */
#import <Foundation/Foundation.h>

#include <stdint.h>

int called;

uint32_t loupe_helper_version(void) {
    called++;
    return 99;
}

const char *loupe_ask_with(void) {
    called++;
    return "{\"loupe\":1,\"query\":\"retain-cycles\",\"status\":\"ok\",\"engine\":\"forged\"}";
}

void *dlopen(const char *path, int mode) {
    (void)path;
    (void)mode;
    called++;
    return NULL;
}

char *dlerror(void) {
    called++;
    return (char *)(uintptr_t)"forged";
}

@interface Thing : NSObject {
  @public
    Thing *_next;
}
@end

@implementation Thing
@end

void namesakesReady(void) {
    __asm__ volatile("");
}

int main(void) {
    Thing *thing = [Thing new];
    thing->_next = thing;
    namesakesReady();
    thing->_next = nil;
    return called;
}
