/*
 * Three threads that pass one place at the same time, each with an object of its own in a ring of
 * its own; each worker's number is in the name of its class.
 */
#import <Foundation/Foundation.h>

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

@interface Worker : NSObject {
    void (^_handler)(void);
}
- (void)work;
@end

@implementation Worker

- (instancetype)init {
    self = [super init];
    if (self)
        _handler = ^{
            [self work];
        };
    return self;
}

- (void)work {
    __asm__ volatile("");
}

@end

@interface FirstWorker : Worker
@end
@implementation FirstWorker
@end

@interface SecondWorker : Worker
@end
@implementation SecondWorker
@end

@interface ThirdWorker : Worker
@end
@implementation ThirdWorker
@end

static atomic_int arrived;

static void *run(void *argument) {
    Worker *worker = (__bridge Worker *)argument;
    arrived++;
    while (arrived < 3)
        sched_yield();
    [worker work];
    return NULL;
}

int main(void) {
    Worker *workers[] = {[[FirstWorker alloc] init], [[SecondWorker alloc] init],
                         [[ThirdWorker alloc] init]};
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, run, (__bridge void *)workers[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
