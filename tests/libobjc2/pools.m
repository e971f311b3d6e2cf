/*
 * What went through libobjc2's autorelease pools and is lost since: the pages keep where it was.
 * Writes down what is lost and what a pool still has, says "ready", waits until its input ends.
 *
 * usage: pools TRUTH
 */
#import <Foundation/Foundation.h>

#include "truth.h"

#include <objc/objc-arc.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

void *objc_autoreleasePoolPush(void);
void objc_autoreleasePoolPop(void *pool);

@interface Thing : NSObject {
  @public
    id other;
}
@end
@implementation Thing
@end

#define PLANT __attribute__((noinline)) static void

PLANT lose_one(void) {
    Thing *made = [Thing new];
    note_place("lost", made);
    objc_autorelease(objc_retain(made));
}

PLANT lose_ring(void) {
    Thing *a = [Thing new], *b = [Thing new];
    a->other = b;
    b->other = a;
    note_place("lost", a);
    note_place("lost", b);
    objc_autorelease(objc_retain(a));
}

PLANT keep(void) {
    Thing *made = [Thing new];
    note_place("held", made);
    objc_autorelease(made);
}

PLANT fill(unsigned count) {
    while (count--)
        objc_autorelease([Thing new]);
}

/* More than a page has, so that there are some before the one where the next goes. */
enum { MORE_THAN_A_PAGE = 700 };

static void go_through_pools(void) {
    void *outer = objc_autoreleasePoolPush();
    keep();
    fill(MORE_THAN_A_PAGE);
    keep();
    void *inner = objc_autoreleasePoolPush();
    lose_one();
    lose_ring();
    fill(MORE_THAN_A_PAGE);
    lose_one();
    objc_autoreleasePoolPop(inner);
    (void)outer;
}

PLANT overwrite_stack(void) {
    volatile char room[1 << 16];
    for (size_t i = 0; i < sizeof(room); i++)
        room[i] = 0;
}

static int ends[2];

static void *other_thread(void *unused) {
    go_through_pools();
    overwrite_stack();
    (void)!write(ends[1], "x", 1);
    pause();
    return unused;
}

int main(int count, char **arguments) {
    pthread_t thread;
    char end;
    setvbuf(stdin, NULL, _IONBF, 0); /* no buffer comes to lie where a page was */
    setvbuf(stdout, NULL, _IONBF, 0);
    if (count < 2 || pipe(ends) || pthread_create(&thread, NULL, other_thread, NULL))
        return 2;
    (void)!read(ends[0], &end, 1);
    go_through_pools();
    write_truth(arguments[1]);
    overwrite_stack(); /* of what was written, too */
    printf("ready\n");
    while (getchar() != EOF)
        ;
    return 0;
}
