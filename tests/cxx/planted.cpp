/*
 * Objects of C++ that are in use, and with "leaky" as many that nothing leads to any more, of each
 * kind COPIES. Says "ready", and waits until its input ends.
 *
 * usage: planted leaky|clean
 */
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

enum { COPIES = 5 };

/* ---- Classes ---- */

struct Session {
    virtual ~Session() = default;
    long words[9];
};

struct Special : Session {
    long more;
};

struct Named {
    virtual ~Named() = default;
    long name;
};

struct Both : Session, Named {
    long own;
};

namespace app {
template <typename Key> struct Table {
    virtual ~Table() = default;
    Key keys[6];
};
} // namespace app

namespace {
struct Hidden {
    virtual ~Hidden() = default;
    long words[3];
};
} // namespace

/* Rings of shared_ptrs; neither class has a function that is virtual. */
struct Parent;
struct Child {
    std::shared_ptr<Parent> parent;
    long words[5];
};
struct Parent {
    std::vector<std::shared_ptr<Child>> children;
};

/* One that its own closure keeps. */
struct Task {
    std::function<void()> then;
    long words[7];
};

/* ---- What is in use, and what is not ---- */

/* By globals, or where they are let go by nothing. */
struct Held {
    Session *session, *special, *array;
    Named *both;
    app::Table<int> *table;
    Hidden *hidden;
    std::shared_ptr<Parent> parent;
    std::shared_ptr<Task> task;
};
static Held held[COPIES];

static std::shared_ptr<Parent> family() {
    auto parent = std::make_shared<Parent>();
    auto child = std::make_shared<Child>();
    child->parent = parent;
    parent->children.push_back(child);
    return parent;
}

static std::shared_ptr<Task> task() {
    std::shared_ptr<Task> made(new Task());
    made->then = [made] { made->words[0]++; };
    return made;
}

__attribute__((noinline)) static void hold(Held &into) {
    into.session = new Session();
    into.special = new Special();
    into.array = new Session[3];
    into.both = new Both();
    into.table = new app::Table<int>();
    into.hidden = new Hidden();
    into.parent = family();
    into.task = task();
}

/* As a destructor of an owner that knows all of it does. */
__attribute__((noinline)) static void destroy(Held &of) {
    delete of.session;
    delete of.special;
    delete[] of.array;
    delete of.both;
    delete of.table;
    delete of.hidden;
    of.parent->children.clear();
    of.task->then = nullptr;
}

__attribute__((noinline)) static void let_go(bool destroyed) {
    for (Held &each : held) {
        if (destroyed)
            destroy(each);
        each = Held();
    }
}

/* Where words of the functions above may be. */
__attribute__((noinline)) static void scrub() {
    volatile char room[1 << 15];
    for (volatile char &each : room)
        each = 0;
}

int main(int count, char **arguments) {
    if (count != 2)
        return 2;
    for (Held &each : held)
        hold(each);
    let_go(std::strcmp(arguments[1], "clean") == 0);
    for (Held &each : held)
        hold(each);
    scrub();
    std::puts("ready");
    std::fflush(stdout);
    while (std::getchar() != EOF)
        continue;
    return 0;
}
