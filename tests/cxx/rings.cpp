/*
 * Objects of C++ that keep each other alive, in the ways that people write it, COPIES of each kind;
 * with "fixed" as many that are let go by what the advice says. Counts what is alive by
 * constructors and destructors, prints a line for each kind, "CLASS alive N", then "ready", and
 * waits until its input ends.
 *
 * usage: rings leaky|fixed
 */
#include <any>
#include <array>
#include <coroutine>
#include <cstdio>
#include <cstring>
#include <deque>
#include <exception>
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
#include <unordered_set>
#include <variant>
#include <vector>

enum { COPIES = 3 };

/* How many objects of a class there are. */
template <typename T> struct Counted {
    static int alive;
    Counted() {
        alive++;
    }
    Counted(const Counted &) {
        alive++;
    }
    ~Counted() {
        alive--;
    }
};
template <typename T> int Counted<T>::alive;

/* ---- An object that a container in it keeps ---- */

struct InVector : Counted<InVector> {
    std::vector<std::shared_ptr<InVector>> all;
    void keep(const std::shared_ptr<InVector> &it) {
        all.push_back(it);
    }
    void drop() {
        all.clear();
    }
};
struct InList : Counted<InList> {
    std::list<std::shared_ptr<InList>> all;
    void keep(const std::shared_ptr<InList> &it) {
        all.push_back(it);
    }
    void drop() {
        all.clear();
    }
};
struct InForwardList : Counted<InForwardList> {
    std::forward_list<std::shared_ptr<InForwardList>> all;
    void keep(const std::shared_ptr<InForwardList> &it) {
        all.push_front(it);
    }
    void drop() {
        all.clear();
    }
};
struct InMap : Counted<InMap> {
    std::map<std::string, std::shared_ptr<InMap>> all;
    void keep(const std::shared_ptr<InMap> &it) {
        all["owner"] = it;
    }
    void drop() {
        all.clear();
    }
};
struct InSet : Counted<InSet> {
    std::set<std::shared_ptr<InSet>> all;
    void keep(const std::shared_ptr<InSet> &it) {
        all.insert(it);
    }
    void drop() {
        all.clear();
    }
};
struct InMultimap : Counted<InMultimap> {
    std::multimap<int, std::shared_ptr<InMultimap>> all;
    void keep(const std::shared_ptr<InMultimap> &it) {
        all.emplace(1, it);
    }
    void drop() {
        all.clear();
    }
};
struct InHashMap : Counted<InHashMap> {
    std::unordered_map<std::string, std::shared_ptr<InHashMap>> all;
    void keep(const std::shared_ptr<InHashMap> &it) {
        all["owner"] = it;
    }
    void drop() {
        all.clear();
    }
};
struct InHashSet : Counted<InHashSet> {
    std::unordered_set<std::shared_ptr<InHashSet>> all;
    void keep(const std::shared_ptr<InHashSet> &it) {
        all.insert(it);
    }
    void drop() {
        all.clear();
    }
};
struct InDeque : Counted<InDeque> {
    std::deque<std::shared_ptr<InDeque>> all;
    void keep(const std::shared_ptr<InDeque> &it) {
        all.push_back(it);
    }
    void drop() {
        all.clear();
    }
};
struct InOptional : Counted<InOptional> {
    std::optional<std::shared_ptr<InOptional>> other;
    void keep(const std::shared_ptr<InOptional> &it) {
        other = it;
    }
    void drop() {
        other.reset();
    }
};
struct InVariant : Counted<InVariant> {
    std::variant<int, std::shared_ptr<InVariant>> other;
    void keep(const std::shared_ptr<InVariant> &it) {
        other = it;
    }
    void drop() {
        other = 0;
    }
};
struct InArray : Counted<InArray> {
    std::array<std::shared_ptr<InArray>, 3> all;
    void keep(const std::shared_ptr<InArray> &it) {
        all[1] = it;
    }
    void drop() {
        all[1].reset();
    }
};
struct InTuple : Counted<InTuple> {
    std::tuple<long, std::shared_ptr<InTuple>> both;
    void keep(const std::shared_ptr<InTuple> &it) {
        std::get<1>(both) = it;
    }
    void drop() {
        std::get<1>(both).reset();
    }
};
struct InAny : Counted<InAny> {
    std::any other;
    void keep(const std::shared_ptr<InAny> &it) {
        other = it;
    }
    void drop() {
        other.reset();
    }
};

/* ---- By what they inherit ---- */

struct Widget : Counted<Widget> {
    virtual ~Widget() = default;
    std::shared_ptr<Widget> other;
    void keep(const std::shared_ptr<Widget> &it) {
        other = it;
    }
    void drop() {
        other.reset();
    }
};
struct First {
    virtual ~First() = default;
    long first = 1;
};
struct Second {
    virtual ~Second() = default;
    std::shared_ptr<Second> other;
};
struct Middle : First, Second, Counted<Middle> {
    void keep(const std::shared_ptr<Middle> &it) {
        other = it;
    }
    void drop() {
        other.reset();
    }
};
struct Left : virtual First {};
struct Right : virtual First {
    std::shared_ptr<Right> other;
};
struct Diamond : Left, Right, Counted<Diamond> {
    void keep(const std::shared_ptr<Diamond> &it) {
        other = it;
    }
    void drop() {
        other.reset();
    }
};

/* It has no vtable; what stands first in it has one. */
struct Box : Counted<Box> {
    First part;
    std::shared_ptr<Box> other;
    void keep(const std::shared_ptr<Box> &it) {
        other = it;
    }
    void drop() {
        other.reset();
    }
};

/* ---- By what they will call ---- */

struct Session : Counted<Session> {
    std::function<void(int)> then;
    void keep(const std::shared_ptr<Session> &it) {
        then = [it](int more) { it->steps += more; };
    }
    void drop() {
        then = nullptr;
    }
    long steps = 0;
};
struct Bound : Counted<Bound> {
    std::function<void()> then;
    void step() {
        steps++;
    }
    void keep(const std::shared_ptr<Bound> &it) {
        then = std::bind(&Bound::step, it);
    }
    void drop() {
        then = nullptr;
    }
    long steps = 0;
};
struct Model : Counted<Model> {
    std::vector<std::function<void()>> slots;
    void keep(const std::shared_ptr<Model> &it) {
        slots.push_back([it] { it->changes++; });
    }
    void drop() {
        slots.clear();
    }
    long changes = 0;
};
struct Job : Counted<Job> {
    std::packaged_task<int()> task;
    void keep(const std::shared_ptr<Job> &it) {
        task = std::packaged_task<int()>([it] { return it->result; });
    }
    void drop() {
        task = {};
    }
    int result = 0;
};
struct Pending : Counted<Pending> {
    std::promise<std::shared_ptr<Pending>> promise;
    std::shared_future<std::shared_ptr<Pending>> result;
    void keep(const std::shared_ptr<Pending> &it) {
        result = promise.get_future().share();
        promise.set_value(it);
        promise = std::promise<std::shared_ptr<Pending>>();
    }
    void drop() {
        result = {};
    }
};

/* By what went wrong with it. */
struct Request;
struct Failed {
    long code = 1;
    std::shared_ptr<Request> request;
};
struct Request : Counted<Request> {
    std::exception_ptr why;
    void keep(const std::shared_ptr<Request> &it) {
        why = std::make_exception_ptr(Failed{1, it});
    }
    void drop() {
        why = nullptr;
    }
};

/* One that stays where it is until somebody goes on with it. */
struct Frame {
    struct promise_type {
        Frame get_return_object() {
            return {std::coroutine_handle<promise_type>::from_promise(*this)};
        }
        std::suspend_always initial_suspend() {
            return {};
        }
        std::suspend_always final_suspend() noexcept {
            return {};
        }
        void return_void() {}
        void unhandled_exception() {}
    };
    std::coroutine_handle<promise_type> handle;
};
struct Download : Counted<Download> {
    Frame frame{};
    long bytes = 0;
    static Frame run(std::shared_ptr<Download> it) {
        it->bytes++;
        co_await std::suspend_always{};
        it->bytes++;
    }
    void keep(const std::shared_ptr<Download> &it) {
        frame = run(it);
        frame.handle.resume();
    }
    void drop() {
        auto handle = frame.handle;
        frame.handle = nullptr;
        handle.destroy();
    }
};

/* ---- Two of different classes ---- */

struct Child;
struct Parent : Counted<Parent> {
    std::vector<std::shared_ptr<Child>> children;
    void keep(const std::shared_ptr<Parent> &it);
    void drop() {
        children.clear();
    }
};
struct Child : Counted<Child> {
    long before = 1;
    std::shared_ptr<Parent> parent;
};
void Parent::keep(const std::shared_ptr<Parent> &it) {
    children.push_back(std::make_shared<Child>());
    children.back()->parent = it;
}

/* They count their owners themselves. */
struct Document : Counted<Document> {
    virtual ~Document() = default;
    long owners = 1;
    struct Pane *pane = nullptr;
};
struct Pane {
    virtual ~Pane() = default;
    long owners = 1;
    Document *document = nullptr;
};

/* ---- What is easily mistaken ---- */

/* A ring that a lost observer knows. */
struct Watched : Counted<Watched> {
    std::vector<std::shared_ptr<Watched>> all;
};
struct Watcher {
    virtual ~Watcher() = default;
    Watched *watched = nullptr;
    long more[7]{};
};

/* A ring that a global knows, and does not own. */
struct Known : Counted<Known> {
    std::vector<std::shared_ptr<Known>> all;
};
extern Known *known[COPIES]; // a compiler keeps what is written to it
Known *known[COPIES];

/* No ring: children know their parent weakly; who has the parent is lost. */
struct Weak;
struct Strong : Counted<Strong> {
    std::shared_ptr<Weak> child;
};
struct Weak {
    std::weak_ptr<Strong> parent;
    long more[9]{};
};
struct Owner {
    virtual ~Owner() = default;
    std::shared_ptr<Strong> parent;
};

/* A ring that a list of those in use had: the words are still behind its end. */
struct Removed : Counted<Removed> {
    std::vector<std::shared_ptr<Removed>> all;
};
extern std::vector<std::shared_ptr<Removed>> in_use;
std::vector<std::shared_ptr<Removed>> in_use;

/* ---- All of them ---- */

template <typename T> __attribute__((noinline)) void plant(bool made_together, bool fixed) {
    for (int i = 0; i < COPIES; i++) {
        std::shared_ptr<T> it = made_together ? std::make_shared<T>() : std::shared_ptr<T>(new T);
        it->keep(it);
        if (fixed)
            it->drop();
    }
}

__attribute__((noinline)) static void plant_documents(bool fixed) {
    for (int i = 0; i < COPIES; i++) {
        auto *document = new Document;
        document->pane = new Pane;
        document->pane->document = document;
        document->owners++;
        if (fixed) {
            delete document->pane;
            delete document;
        }
    }
}

__attribute__((noinline)) static void plant_traps(bool fixed) {
    for (int i = 0; i < COPIES; i++) {
        auto watched = std::make_shared<Watched>();
        watched->all.push_back(watched);
        auto *watcher = new Watcher;
        watcher->watched = watched.get();
        std::shared_ptr<Known> global(new Known);
        global->all.push_back(global);
        known[i] = global.get();
        auto *owner = new Owner;
        owner->parent = std::make_shared<Strong>();
        owner->parent->child = std::make_shared<Weak>();
        owner->parent->child->parent = owner->parent;
        auto removed = std::make_shared<Removed>();
        removed->all.push_back(removed);
        in_use.push_back(removed);
        if (fixed) {
            delete watcher;
            delete owner;
            removed->all.clear();
            watched->all.clear();
            global->all.clear();
            known[i] = nullptr;
        }
    }
    while (!in_use.empty())
        in_use.pop_back();
}

/* Where words of the functions above may be. */
__attribute__((noinline)) static void scrub() {
    volatile char room[1 << 16];
    for (volatile char &each : room)
        each = 0;
}

template <typename T> static void tell(const char *name) {
    std::printf("%s alive %d\n", name, Counted<T>::alive);
}
#define KINDS(each)                                                                                \
    each(InVector) each(InList) each(InForwardList) each(InMap) each(InSet) each(InMultimap)       \
        each(InHashMap) each(InHashSet) each(InDeque) each(InOptional) each(InVariant)             \
            each(InArray) each(InTuple) each(InAny) each(Widget) each(Middle) each(Diamond)        \
                each(Session) each(Bound) each(Model) each(Job) each(Pending) each(Download)       \
                    each(Box) each(Parent) each(Request)

int main(int count, char **arguments) {
    bool fixed = count > 1 && std::strcmp(arguments[1], "fixed") == 0, together = false;
#define PLANT(kind) plant<kind>(together = !together, fixed);
    KINDS(PLANT)
    plant_documents(fixed);
    plant_traps(fixed);
    scrub();
#define TELL(kind) tell<kind>(#kind);
    KINDS(TELL)
    tell<Document>("Document");
    tell<Watched>("Watched");
    tell<Known>("Known");
    tell<Strong>("Strong");
    tell<Removed>("Removed");
    std::puts("ready");
    std::fflush(stdout);
    std::getchar();
    return 0;
}
