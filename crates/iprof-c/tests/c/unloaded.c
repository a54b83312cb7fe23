/* A library that a program opens, closes and opens again. Its zone names are set when it is compiled. */
#include "iprof.h"
#include "prof.h"

static iprof_zone by_iprof = IPROF_ZONE(NAME " by iprof");
static Prof_Zone by_prof = { NAME " by prof", __FILE__, __LINE__, 0, 0, 0 };

const void *unloaded(void);
const void *unloaded(void)
{
    iprof_zone_begin(&by_iprof);
    {
        IPROF_SCOPE(NAME " by scope");
        IPROF_COUNTER(NAME " counted");
        Prof_count(&by_prof);
    }
    iprof_zone_end(&by_iprof);
    return &by_iprof;
}
