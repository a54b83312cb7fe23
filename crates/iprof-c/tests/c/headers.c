/* Everything in both headers, to be compiled as C and C++ with strict warnings. */
#include "iprof.h"
#include "prof.h"

Prof_Define(shared);
extern Prof_Declare(elsewhere);

void forms(int flag);
void forms(int flag)
{
    static iprof_zone zone = IPROF_ZONE("zone"), wait = IPROF_ZONE_WAIT("wait");
    static iprof_zone limited = IPROF_ZONE_BUDGET("limited", 0.5);
    IPROF_FUNCTION();
    IPROF_SCOPE_BUDGET("limited, too", 2);
    iprof_zone_begin(&limited);
    iprof_end();
    static iprof_value bodies = IPROF_VALUE("bodies", "body"), energy = IPROF_VALUE_IN_STEPS("energy", "J", 1000);
    IPROF_COUNTER("passed");
    IPROF_ADD("triangles", "triangle", flag);
    iprof_value_add(&bodies, flag);
    iprof_value_add_double(&energy, 0.5);
    iprof_zone_begin(&zone);
    iprof_zone_begin(&wait);
    iprof_end();
    iprof_zone_end(&zone);
    {
        IPROF_SCOPE("inner");
        IPROF_GPU_SCOPE("also on the GPU");
    }
    {
        Prof_Begin(2_begins_with_a_digit)
        int after = flag;
        Prof_Counter(counted)
        if (after) {
            Prof_End
            return;
        }
        Prof_End
    }
    {
        Prof_Region(shared)
        Prof_End
    }
#ifdef __cplusplus
    Prof(scoped);
    Prof_Scope(shared);
#endif
    Prof_update(1);
    Prof_set_report_mode(Prof_CALL_GRAPH);
    Prof_set_smoothing(1);
    {
        void (*key)(void) = flag ? Prof_select : Prof_select_parent;
        key();
    }
    Prof_draw_gl(0, 0, 1, 1, 1, 2, 0, 0);
    (void)iprof_report_rows;
}
