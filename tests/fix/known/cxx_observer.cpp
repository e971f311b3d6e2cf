// An observer owns what it observes, which owns the observer.
#include "known.hpp"

struct Observer;
struct Model : Counted {
    std::shared_ptr<Observer> observer;
    int value = 0;
    void set(int given);
};
struct Observer : Counted {
    std::shared_ptr<Model> model;
    int seen = 0;
    void changed() { seen = model->value; }
    void end() { model.reset(); }
};
void Model::set(int given) {
    value = given;
    observer->changed();
}

static void known_mistake() {
    auto model = std::make_shared<Model>();
    model->observer = std::make_shared<Observer>();
    model->observer->model = model;
    model->set(7);
    assert(model->observer->seen == 7);
}
