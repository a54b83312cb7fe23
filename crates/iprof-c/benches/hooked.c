/* The loops from others.rs, in C. -finstrument-functions turns one of the functions into a zone, but not the
 * other. */
#include <stdint.h>

#define NO_ZONE __attribute__((no_instrument_function))

void c_hooked(uint64_t rounds);
void c_plain(uint64_t rounds);

static volatile unsigned sink;

__attribute__((noinline)) static void hooked_leaf(void) { sink = sink + 1; }

__attribute__((noinline)) NO_ZONE static void plain_leaf(void) { sink = sink + 1; }

NO_ZONE void c_hooked(uint64_t rounds)
{
    while (rounds--) hooked_leaf();
}

NO_ZONE void c_plain(uint64_t rounds)
{
    while (rounds--) plain_leaf();
}
