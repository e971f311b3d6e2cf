/*
 * Rings of Objective-C objects and objects of C++ on GNUstep, COPIES of each of four kinds: each class of
 * Objective-C is one kind. Says "ready", and waits until its input ends.
 */
#import <Foundation/Foundation.h>

#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

enum { COPIES = 5 };

/* It retains what it has, as code without ARC does by hand. */
struct Retained {
    id it;
    explicit Retained(id object) : it([object retain]) {}
    Retained(const Retained &other) : it([other.it retain]) {}
    ~Retained() { [it release]; }
};

struct Store {
    std::vector<Retained> all;
    std::unordered_map<std::string, Retained> by_name;
};

struct Keeper {
    virtual ~Keeper() = default;
    id owner = nil;
};

@interface Feed : NSObject {
  @public
    int before;
    std::shared_ptr<Store> store;
}
@end
@implementation Feed
@end

@interface Index : Feed
@end
@implementation Index
@end

@interface Poller : NSObject {
  @public
    std::function<void()> again;
}
@end
@implementation Poller
@end

@interface Plain : NSObject {
  @public
    Keeper *keeper;
}
@end
@implementation Plain
@end

__attribute__((noinline)) static void plant() {
    Feed *feed = [Feed new];
    feed->store = std::make_shared<Store>();
    feed->store->all.emplace_back(feed);
    [feed release];
    Index *index = [Index new];
    index->store = std::make_shared<Store>();
    index->store->by_name.emplace("owner", Retained(index));
    [index release];
    Poller *poller = [Poller new];
    Retained kept(poller);
    poller->again = [kept] { (void)kept; };
    [poller release];
    Plain *plain = [Plain new];
    plain->keeper = new Keeper;
    plain->keeper->owner = [plain retain];
    [plain release];
}

/* Where words of the functions above may be. */
__attribute__((noinline)) static void scrub() {
    volatile char room[1 << 16];
    for (volatile char &each : room)
        each = 0;
}

int main() {
    NSAutoreleasePool *pool = [NSAutoreleasePool new];
    for (int i = 0; i < COPIES; i++)
        plant();
    [pool drain];
    scrub();
    std::puts("ready");
    std::fflush(stdout);
    std::getchar();
    return 0;
}
