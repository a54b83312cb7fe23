/* Prints the memory layout that the inline functions rely on, in the same order as LAYOUT in
 * crates/iprof-gather/src/local/for_c.rs. */
#include "iprof.h"

int main(void)
{
    const size_t layout[] = {
        offsetof(struct iprof_thread, record),      offsetof(struct iprof_thread, epoch),
        offsetof(struct iprof_thread, program_epoch), offsetof(struct iprof_record, current),
        offsetof(struct iprof_node, entries),       offsetof(struct iprof_node, zone),
        offsetof(struct iprof_node, parent),        offsetof(struct iprof_node, pending_ends),
        offsetof(struct iprof_node, flags),         IPROF_TIMED,
        IPROF_HAS_PENDING_ENDS,                     IPROF_OFF,
    };
    size_t at;
    for (at = 0; at < sizeof layout / sizeof *layout; at++) printf("%zu\n", layout[at]);
    return 0;
}
