// A function that Rust calls, and that calls back into Rust. All zones are in one tree.
#include "iprof.h"

extern "C" void called(void (*rust)())
{
    IPROF_SCOPE("cpp");
    for (int at = 0; at < 3; at++) {
        IPROF_SCOPE("loop");
        rust();
    }
    static iprof_zone begun = IPROF_ZONE("begun");
    iprof_zone_begin(&begun);
    IPROF_COUNTER("counted");
    rust();
    iprof_zone_end(&begun);
}
