/*
 * known.hpp - known.h for C++: objects that are counted, and main() of a program that makes one known
 * mistake.
 *
 * usage: PROGRAM         ends with 1 if some of its objects are left
 *        PROGRAM WAIT    the same, and waits before that until its input ends
 */
#ifndef LOUPE_TESTS_KNOWN_HPP
#define LOUPE_TESTS_KNOWN_HPP

#undef NDEBUG
#include <cassert>
#include <cstdio>
#include <functional>
#include <memory>
#include <vector>

static int alive;

struct Counted {
    Counted() { alive++; }
    Counted(const Counted &) = delete;
    ~Counted() { alive--; }
};

/* Makes it, uses it, lets it go. */
static void known_mistake();

int main(int count, char **) {
    known_mistake();
    std::printf("%d\n", alive);
    std::fflush(stdout);
    if (count > 1)
        std::getchar();
    return alive != 0;
}

#endif
