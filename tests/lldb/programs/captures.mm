/*
 * C++ objects that blocks capture by value and in __block variables. Each block of `seed` is in one
 * ring, through the variable that its name says; those called `no...` are in none. Built with ARC
 * and without.
 */
#import <Foundation/Foundation.h>
#include <functional>
#include <memory>
#include <optional>
#include <vector>
#include "fixture.h"

#if __has_feature(objc_arc)
#define WEAK __weak
#define COPIED(block) (block)
#else
#define WEAK
#define COPIED(block) [(block) copy]
#endif

struct Part {
    int number = 0;
    id held = nil;
    WEAK id watched = nil;
    ~Part() {} /* what it releases under ARC its code tells */
};
struct Base {
    virtual ~Base() {}
};
/* The layout that the compiler writes for it takes the vtable for `held`. */
struct Derived : Base {
    id held = nil;
    std::vector<id> more;
};
struct Mixed {
    id first = nil;
    std::optional<id> second;
};
struct Raw {
    __unsafe_unretained id raw = nil;
    ~Raw() {}
};
#if !__has_feature(objc_arc)
/* Retains what it holds, as pointer classes of manual retain/release code do. */
struct Retained {
    id object;
    explicit Retained(id other = nil) : object([other retain]) {}
    Retained(const Retained &other) : object([other.object retain]) {}
    Retained &operator=(const Retained &) = delete;
    ~Retained() { [object release]; }
};
#endif

typedef void (^Block)(void);

@interface Owner : NSObject {
  @public
    Block vector, unique, shared, function, optional, part, derived, mixed;
    Block captured, capturedPart, capturedDerived, capturedMixed;
    Block noRaw, noWeak, noPointers, noFunction, noCapturedRaw;
#if !__has_feature(objc_arc)
    Block retained;
#endif
}
@end

@implementation Owner
@end

/* Two owners of one object, which retains the pair once; or of one each. */
@interface Pair : NSObject {
  @public
    std::shared_ptr<Part> first, second;
}
@end

@implementation Pair
@end

static void *leakPair(bool shares) {
    Pair *pair = [[Pair alloc] init];
    pair->first = std::make_shared<Part>();
    pair->second = shares ? pair->first : std::make_shared<Part>();
    pair->first->held = pair;
    pair->second->held = pair;
    return (__bridge void *)pair;
}

/* Leads to the seed by one step more than a reference does. */
extern "C" void **theSeed;
void **theSeed;

static void keepInLibraryTypes(Owner *seed, id target) {
    __block std::vector<id> vector;
    __block std::unique_ptr<Part> unique = std::make_unique<Part>();
    __block std::shared_ptr<Part> shared = std::make_shared<Part>();
    __block std::function<void()> function;
    __block std::optional<id> optional;
    __block std::weak_ptr<Part> noWeak = shared;
    __block std::vector<Part *> noPointers;
    __block std::function<void()> noFunction;
    seed->vector = COPIED(^{ vector.clear(); });
    seed->unique = COPIED(^{ unique.reset(); });
    seed->shared = COPIED(^{ shared.reset(); });
    seed->function = COPIED(^{ function = nullptr; });
    seed->optional = COPIED(^{ optional.reset(); });
    seed->noWeak = COPIED(^{ noWeak.reset(); });
    seed->noPointers = COPIED(^{ noPointers.clear(); });
    seed->noFunction = COPIED(^{ noFunction = nullptr; });
    vector.push_back(nil);
    vector.push_back(target);
    unique->held = target;
    shared->held = target;
    function = [target] { (void)target; };
    optional = target;
    noPointers.push_back(unique.get());
    WEAK id weak = target;
#if __has_feature(objc_arc)
    noFunction = [weak] { (void)weak; };
#endif
    (void)weak;
}

static void keepInRecords(Owner *seed, id target) {
    __block Part part;
    __block Derived derived;
    __block Mixed mixed;
    __block Raw noRaw;
    seed->part = COPIED(^{ part.number++; });
    seed->derived = COPIED(^{ derived.held = nil; });
    seed->mixed = COPIED(^{ mixed.first = nil; });
    seed->noRaw = COPIED(^{ noRaw.raw = nil; });
    part.held = part.watched = target;
    derived.held = target;
    derived.more.push_back(target);
    mixed.first = mixed.second.emplace(target);
    noRaw.raw = target;
}

static void capture(Owner *seed, id target) {
    std::vector<id> captured;
    captured.push_back(target);
    seed->captured = COPIED(^{ (void)captured.size(); });
    Part capturedPart;
    capturedPart.held = capturedPart.watched = target;
    seed->capturedPart = COPIED(^{ (void)capturedPart.number; });
    Derived capturedDerived;
    capturedDerived.held = target;
    capturedDerived.more.push_back(target);
    seed->capturedDerived = COPIED(^{ (void)capturedDerived.held; });
    Mixed capturedMixed;
    capturedMixed.first = capturedMixed.second.emplace(target);
    seed->capturedMixed = COPIED(^{ (void)capturedMixed.first; });
    Raw noCapturedRaw;
    noCapturedRaw.raw = target;
    seed->noCapturedRaw = COPIED(^{ (void)noCapturedRaw.raw; });
#if !__has_feature(objc_arc)
    Retained retained(target);
    seed->retained = COPIED(^{ (void)retained.object; });
#endif
}

int main() {
    @autoreleasepool {
        Owner *seed = [[Owner alloc] init];
        theSeed = new void *((__bridge void *)seed);
        keepInLibraryTypes(seed, seed);
        keepInRecords(seed, seed);
        capture(seed, seed);
        FIXTURE_KEEP(seed);
        void *sharing = leakPair(true);
        void *apart = leakPair(false);
        FIXTURE_KEEP(sharing);
        FIXTURE_KEEP(apart);
        loupe_fixture_ready();
    }
    return 0;
}
