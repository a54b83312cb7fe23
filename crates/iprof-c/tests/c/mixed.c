/* C functions for random programs. Each opens a zone in a different way and calls back. */
#define Prof_ENABLED
#include "iprof.h"
#include "prof.h"

static void by_scope(void (*body)(void *), void *context)
{
    IPROF_SCOPE("c scope");
    body(context);
}

static void by_pair(void (*body)(void *), void *context)
{
    static iprof_zone zone = IPROF_ZONE("c pair");
    iprof_zone_begin(&zone);
    body(context);
    iprof_zone_end(&zone);
}

static void by_original(void (*body)(void *), void *context)
{
    Prof_Begin(c_original)
    body(context);
    Prof_End
}

void mixed(int way, void (*body)(void *), void *context)
{
    if (way == 0) by_scope(body, context);
    else if (way == 1) by_pair(body, context);
    else by_original(body, context);
}
