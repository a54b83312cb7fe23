/* The loops of others.rs in C: one function is a zone by -finstrument-functions, the other is not. */
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
