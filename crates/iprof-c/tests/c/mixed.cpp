// C++ functions for random programs. Each opens a scoped zone and calls back.
#define Prof_ENABLED
#include "iprof.h"
#include "prof.h"

typedef void (*callback)(void *);

static void by_scope(callback body, void *context)
{
    IPROF_SCOPE("cpp scope");
    body(context);
}

// An exception leaves the zone, and is caught here.
static void by_exception(callback body, void *context)
{
    try {
        IPROF_SCOPE("cpp thrown");
        body(context);
        throw 1;
    } catch (int) {
    }
}

static void by_original(callback body, void *context)
{
    Prof(cpp_original);
    body(context);
}

extern "C" void mixed_cpp(int way, callback body, void *context)
{
    if (way == 0) by_scope(body, context);
    else if (way == 1) by_exception(body, context);
    else by_original(body, context);
}
