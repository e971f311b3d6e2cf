// A handler that its owner stores captures a shared_ptr to the owner.
#include "known.hpp"

class Screen : public Counted, public std::enable_shared_from_this<Screen> {
  public:
    void listen() {
        auto self = shared_from_this();
        handler = [self](int more) {
            self->taps += more;
        };
    }
    std::function<void(int)> handler;
    int taps = 0;
};

static void known_mistake() {
    auto screen = std::make_shared<Screen>();
    screen->listen();
    screen->handler(2);
    screen->handler(3);
    assert(screen->taps == 5);
}
