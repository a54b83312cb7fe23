// Like hooked.c, but in C++: names with namespaces and templates, constructors, exceptions, and a scoped zone.
#include "iprof.h"

namespace game {
struct Body {
    int mass;
    explicit Body(int m) : mass(m) {}
    ~Body() { mass = 0; }
};

template <class T> T twice(T value) { return value + value; }

namespace {
void thrown(int depth)
{
    Body body(depth);
    if (depth == 0) throw depth;
    thrown(depth - 1);
}
} // namespace

void caught()
{
    try {
        thrown(2);
    } catch (int) {
    }
}
} // namespace game

static double halved(double value)
{
    IPROF_SCOPE("scope");
    return game::twice(value) / 4;
}

int main()
{
    for (int at = 0; at < 4; at++) game::twice(at);
    for (int at = 0; at < 5; at++) game::caught();
    halved(1);
    return static_cast<int>(iprof_write_profile("csv", iprof_to_file, stdout));
}
