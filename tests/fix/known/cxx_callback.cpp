// A callback in one line captures what it is set on, by the name of a local variable.
#include "known.hpp"

struct Session : Counted {
    std::function<void()> done;
    bool ended = false;
};

static void start(const std::shared_ptr<Session> &session) {
    session->done = [session] { session->ended = true; };
}

static void known_mistake() {
    auto mine = std::make_shared<Session>();
    start(mine);
    mine->done();
    assert(mine->ended);
}
