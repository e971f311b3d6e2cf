/*
 * C++ members of every kind that Loupe reads by debug info. Each ivar of All, and each local of the
 * stop, owns `target` once where its name says so; what is called `no...` owns nothing.
 */
#import <Foundation/Foundation.h>
#include <any>
#include <array>
#include <deque>
#include <forward_list>
#include <functional>
#include <future>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <variant>
#include <vector>
#include "fixture.h"

struct Part {
    int number = 0;
    id held = nil;
    __weak id watched = nil;
    __unsafe_unretained id raw = nil;
};
struct Plain {
    __unsafe_unretained id raw;
};
struct Base {
    virtual ~Base() {}
    int number = 1;
};
struct Derived : Base {
    id held = nil;
};
struct Other {
    virtual ~Other() {}
    long pad[3];
};
struct Both : Other, Base {
    id held = nil;
};
/* All that its own class has in the table of functions is the last of it. */
struct Many {
    virtual int a() { return 1; }
    virtual int b() { return 2; }
    virtual int c() { return 3; }
    virtual int d() { return 4; }
    virtual int e() { return 5; }
    virtual int f() { return 6; }
    virtual int g() { return 7; }
    virtual int h() { return 8; }
    virtual ~Many() {}
};
struct Last : Many {
    id held = nil;
};
struct Node {
    std::vector<std::unique_ptr<Node>> children;
    id held = nil;
    Node *parent = nullptr;
};

/* A container that is not the standard library's: only its own code knows how many there are. */
template <class T> struct Foreign {
    T *items = nullptr;
    int count = 0;
    ~Foreign() { delete[] items; }
};

/* Owns its part by a plain pointer; the other one only refers to it. */
struct Engine {
    Part *part = nullptr;
    Part *noPart = nullptr;
    ~Engine() { delete part; }
};

/* Which member is there only its own code knows. */
union Choice {
    id held;
    std::vector<id> many;
    int number;
    Choice() : held(nil) {}
    ~Choice() {}
};

@interface Guest : NSObject {
  @public
    Foreign<id> objects;
    Foreign<Part> parts;
    Foreign<int> noNumbers;
    Foreign<Plain> noPlains;
    Choice choice;
}
@end

@implementation Guest
@end

@interface All : NSObject {
  @public
    std::vector<Part> vector;
    std::list<id> list;
    std::forward_list<id> forwardList;
    std::deque<id> deque;
    std::deque<Part> dequeOfParts;
    std::map<int, id> map;
    std::map<std::string, id> named;
    std::map<id, int> keys;
    std::multimap<int, Part> multimap;
    std::set<id> set;
    std::unordered_map<int, id> hashed;
    std::unique_ptr<Part> unique;
    std::unique_ptr<id[]> uniqueArray;
    std::shared_ptr<Part> shared;
    std::unique_ptr<Base> derived;
    std::unique_ptr<Base> both;
    std::unique_ptr<Many> last;
    std::unique_ptr<Node> tree;
    std::optional<id> optional;
    std::variant<int, id> variant;
    std::tuple<int, Part> tuple;
    std::array<std::vector<id>, 2> array;
    std::function<void()> function;
    std::vector<std::function<void()>> functions;
    Engine engine;
    std::unique_ptr<Engine> engines;
    std::any any;
    std::any largeAny;
    std::any anyFunction;
    std::future<id> future;
    std::shared_future<Part> sharedFuture;
    std::promise<id> promise;
    std::future<void> deferred;
    std::packaged_task<void()> task;
    std::optional<id> noValue;
    std::weak_ptr<Part> noWeak;
    std::unique_ptr<Plain> noPlain;
    std::function<void()> noFunction;
    std::function<void()> noRawFunction;
    std::function<int(int)> noObject;
    std::vector<Part *> noPointers;
    std::any noAny;
    std::any noNumber;
    std::any noRawAny;
    std::future<id> noFuture;
    std::promise<int> noPromise;
    std::packaged_task<int(int)> noTask;
}
@end

@implementation All
@end

/* A collection of a class that Loupe does not know, with memory of its own: shelf.m. */
extern "C" id makeShelf(void *book);

extern "C" __unsafe_unretained All *theSeed;
__unsafe_unretained All *theSeed;

static int twice(int number) {
    return 2 * number;
}

static Part partWith(id held) {
    Part part;
    part.held = part.watched = part.raw = held;
    return part;
}

static void fillContainers(All *all, id target) {
    all->vector.resize(2);
    all->vector[1] = partWith(target);
    all->list = {nil, target};
    all->forwardList = {target};
    for (int i = 0; i < 70; i++)
        all->deque.push_back(i == 69 ? target : nil);
    all->dequeOfParts.resize(40);
    all->dequeOfParts[39].held = target;
    all->map[5] = target;
    all->named["title"] = target;
    all->keys[target] = 1;
    all->multimap.insert({7, partWith(target)});
    all->set.insert(target);
    all->hashed[3] = target;
    all->array[1].push_back(target);
}

static void fillOthers(All *all, id target) {
    all->unique = std::make_unique<Part>(partWith(target));
    all->uniqueArray = std::unique_ptr<id[]>(new id[3]);
    all->uniqueArray[2] = target;
    all->shared = std::make_shared<Part>(partWith(target));
    auto derived = std::make_unique<Derived>();
    derived->held = target;
    all->derived = std::move(derived);
    auto both = std::make_unique<Both>();
    both->held = target;
    all->both = std::move(both);
    auto last = std::make_unique<Last>();
    last->held = target;
    all->last = std::move(last);
    all->tree = std::make_unique<Node>();
    all->tree->children.push_back(std::make_unique<Node>());
    all->tree->children[0]->held = target;
    all->tree->children[0]->parent = all->tree.get();
    all->optional = target;
    all->variant = target;
    std::get<1>(all->tuple) = partWith(target);
    all->function = [target] { (void)target; };
    all->functions.push_back(all->function);
    all->noWeak = all->shared;
    all->noPlain = std::make_unique<Plain>();
    all->noPlain->raw = target;
    __weak id weak = target;
    __unsafe_unretained id raw = target;
    all->noFunction = [weak] { (void)weak; };
    all->noRawFunction = [raw] { (void)raw; };
    all->noObject = twice;
    all->noPointers.push_back(all->unique.get());
}

static void fillLater(All *all, id target) {
    all->engine.part = new Part(partWith(target));
    all->engine.noPart = all->engine.part;
    all->engines = std::make_unique<Engine>();
    all->engines->part = new Part(partWith(target));
    all->any = target;
    all->largeAny = partWith(target);
    all->anyFunction = std::function<void()>([target] { (void)target; });
    std::promise<id> promise;
    all->future = promise.get_future();
    promise.set_value(target);
    std::promise<Part> ofPart;
    all->sharedFuture = ofPart.get_future();
    ofPart.set_value(partWith(target));
    all->promise.set_value(target);
    all->deferred = std::async(std::launch::deferred, [target] { (void)target; });
    all->task = std::packaged_task<void()>([target] { (void)target; });
    all->noNumber = 7;
    all->noRawAny = Plain{target};
    std::promise<id> broken;
    all->noFuture = broken.get_future();
    all->noPromise.set_value(7);
    all->noTask = std::packaged_task<int(int)>(twice);
}

int main() {
    @autoreleasepool {
        All *seed = [[All alloc] init];
        theSeed = seed;
        NSObject *target = [[NSObject alloc] init];
        id shelf = makeShelf((__bridge void *)target);
        fillContainers(seed, target);
        fillOthers(seed, target);
        fillLater(seed, target);
        FIXTURE_KEEP(seed);
        FIXTURE_KEEP(target);
        FIXTURE_KEEP(shelf);
        Guest *guest = [[Guest alloc] init];
        guest->choice.held = target;
        guest->objects.items = new id[2]{target, nil};
        guest->parts.items = new Part[1]{partWith(target)};
        FIXTURE_KEEP(guest);
        loupe_fixture_ready();
    }
    return 0;
}
