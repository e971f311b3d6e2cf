// A child owns its parent, which owns it: the member is used inside and outside of the class.
#include "known.hpp"

namespace app {

class Child;
class Parent : public Counted {
  public:
    std::vector<std::shared_ptr<Child>> children;
    int told = 0;
};

class Child : public Counted {
  public:
    explicit Child(const std::shared_ptr<Parent> &from) : parent(from) {}
    void tell() const;
    std::shared_ptr<Parent> parent;
};

void Child::tell() const {
    if (parent && !parent->children.empty())
        parent->told++;
}

} // namespace app

static void known_mistake() {
    auto top = std::make_shared<app::Parent>();
    for (int i = 0; i < 3; i++)
        top->children.push_back(std::make_shared<app::Child>(top));
    for (const auto &each : top->children)
        each->tell();
    assert(top->told == 3);
    assert(top->children[1]->parent == top);
}
