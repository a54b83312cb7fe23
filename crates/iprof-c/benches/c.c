/* The loops of c.rs, in C. */
#include "iprof.h"

static volatile unsigned sink;

__attribute__((noinline)) static void leaf(void)
{
    static iprof_zone zone = IPROF_ZONE("leaf of C");
    iprof_zone_begin(&zone);
    sink = sink + 1;
    iprof_zone_end(&zone);
}

void c_loop(uint64_t times)
{
    while (times--) leaf();
}
