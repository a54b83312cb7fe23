/* Makes a random sequence of calls, either to the header's inline functions or to the library's. Both must record
 * the same. Arguments: "inline" or "called", and a seed. */
#include "iprof.h"
#include <stdlib.h>
#include <string.h>

#define ZONES 3
#define HANDLES 8

static iprof_zone zones[ZONES] = {IPROF_ZONE("a"), IPROF_ZONE("b"), IPROF_ZONE("c")};
static iprof_value bodies = IPROF_VALUE("bodies", "body"), energy = IPROF_VALUE_IN_STEPS("energy", "J", 1000);
static struct iprof_node *handles[HANDLES];
static unsigned long long state;

static unsigned below(unsigned end)
{
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (unsigned)(state >> 33) % end;
}

static void step(bool is_inline)
{
    static const char *const timings[] = {"exact", "sampled", "off", "exact"};
    iprof_zone *zone = &zones[below(ZONES)];
    unsigned at = below(HANDLES), action = below(46);
    if (action < 12) {
        if (is_inline) iprof_zone_begin(zone);
        else iprof_enter(iprof_made(zone));
    } else if (action < 22) {
        if (is_inline) iprof_zone_end(zone);
        else iprof_leave(iprof_made(zone));
    } else if (action < 25) {
        if (is_inline) iprof_end();
        else iprof_leave_innermost();
    } else if (action < 36) {
        IPROF_SITE site;
        if (handles[at]) {
            if (is_inline) iprof_shut(handles[at]);
            else iprof_close(handles[at]);
            handles[at] = NULL;
        } else {
            handles[at] = is_inline ? iprof_opened(&site, iprof_made(zone)) : iprof_open(NULL, iprof_made(zone));
        }
    } else if (action < 37) {
        iprof_zone_count(&zones[2]);
    } else if (action < 38) {
        iprof_set_recording(below(3) > 0);
    } else if (action < 39) {
        iprof_update(true);
    } else if (action < 40) {
        iprof_set_timing(timings[below(4)]);
    } else if (action < 43) {
        int units = (int)below(1000) - 200;
        if (is_inline) iprof_value_add(&bodies, units);
        else iprof_add(NULL, iprof_made_value(&bodies), iprof_steps(&bodies, units));
    } else {
        double units = ((int)below(1000000) - 200000) / 7000.0;
        if (is_inline) iprof_value_add_double(&energy, units);
        else iprof_add(NULL, iprof_made_value(&energy), iprof_nearest_steps(&energy, units));
    }
}

int main(int argc, char **argv)
{
    int steps;
    if (argc != 3) return 1;
    state = strtoull(argv[2], NULL, 10);
    for (steps = 0; steps < 1000; steps++) step(!strcmp(argv[1], "inline"));
    if (iprof_write_report(iprof_to_file, stdout)) return 2;
    printf("the profile:\n");
    return (int)iprof_write_profile("csv", iprof_to_file, stdout);
}
