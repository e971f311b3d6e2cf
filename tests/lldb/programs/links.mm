/*
 * Rings that only debug info tells of, link by link: as many steps as the first argument says (100).
 * A link leads to the next one by its C++ member; a wagon to its coupling, which is plain, and that
 * to the next wagon; a crate to an array in its C++ member, and that to the next crate; a car to
 * the next one by a plain ivar, to compare.
 */
#import <Foundation/Foundation.h>
#include <cstdlib>
#include <functional>
#include <vector>
#include "fixture.h"

@interface Link : NSObject {
  @public
    std::vector<Link *> next;
}
@end

@implementation Link
@end

@class Coupling;

@interface Wagon : NSObject {
  @public
    std::vector<Coupling *> ahead;
}
@end

@interface Coupling : NSObject {
  @public
    Wagon *wagon;
}
@end

@implementation Wagon
@end

@implementation Coupling
@end

/* Of its contents an engine alone knows where they lead to: each link takes a round. */
@interface Crate : NSObject {
  @public
    std::vector<NSArray *> packed;
}
@end

@implementation Crate
@end

@interface Car : NSObject {
  @public
    Car *next;
}
@end

@implementation Car
@end

/* Its lambda captures it. */
@interface Called : NSObject {
  @public
    std::function<void()> handler;
}
- (void)setUp;
@end

@implementation Called
- (void)setUp {
    handler = [self] { (void)self; };
}
@end

static Link *ringOfLinks(int count) {
    Link *first = [[Link alloc] init], *last = first;
    for (int i = 1; i < count; i++) {
        Link *next = [[Link alloc] init];
        last->next.push_back(next);
        last = next;
    }
    last->next.push_back(first);
    return first;
}

static Crate *ringOfCrates(int count) {
    Crate *first = [[Crate alloc] init], *last = first;
    for (int i = 1; i < count; i++) {
        Crate *next = [[Crate alloc] init];
        last->packed.push_back(@[ next ]);
        last = next;
    }
    last->packed.push_back(@[ first ]);
    return first;
}

static Car *ringOfCars(int count) {
    Car *first = [[Car alloc] init], *last = first;
    for (int i = 1; i < count; i++) {
        last->next = [[Car alloc] init];
        last = last->next;
    }
    last->next = first;
    return first;
}

static void couple(Wagon *wagon, Wagon *next) {
    Coupling *coupling = [[Coupling alloc] init];
    coupling->wagon = next;
    wagon->ahead.push_back(coupling);
}

static Wagon *ringOfWagons(int count) {
    Wagon *first = [[Wagon alloc] init], *last = first;
    for (int i = 1; i < count; i++) {
        Wagon *next = [[Wagon alloc] init];
        couple(last, next);
        last = next;
    }
    couple(last, first);
    return first;
}

int main(int argc, char **argv) {
    @autoreleasepool {
        int count = argc > 1 ? std::atoi(argv[1]) : 100;
        Link *seed = ringOfLinks(count);
        Wagon *train = ringOfWagons(count);
        Car *cars = ringOfCars(count);
        FIXTURE_KEEP(seed);
        FIXTURE_KEEP(cars);
        Crate *crates = ringOfCrates(count);
        FIXTURE_KEEP(crates);
        Called *called = [[Called alloc] init];
        [called setUp];
        FIXTURE_KEEP(train);
        FIXTURE_KEEP(called);
        loupe_fixture_ready();
    }
    return 0;
}
