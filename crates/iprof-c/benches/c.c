/* The loops from c.rs, in C. */
#define Prof_ENABLED
#include "iprof.h"
#include "prof.h"

static volatile unsigned sink;

#define FUNCTION __attribute__((noinline)) static void

FUNCTION pair(void)
{
    static iprof_zone zone = IPROF_ZONE("pair of C");
    iprof_zone_begin(&zone);
    sink = sink + 1;
    iprof_zone_end(&zone);
}

FUNCTION scope(void)
{
    IPROF_SCOPE("scope of C");
    sink = sink + 1;
}

FUNCTION original(void)
{
    Prof_Begin(original_of_C)
    sink = sink + 1;
    Prof_End
}

FUNCTION first(void)
{
    IPROF_SCOPE("first of C");
    sink = sink + 1;
}

FUNCTION second(void)
{
    IPROF_SCOPE("second of C");
    sink = sink + 1;
}

FUNCTION third(void)
{
    IPROF_SCOPE("third of C");
    sink = sink + 1;
}

void c_pair(uint64_t zones)
{
    while (zones--) pair();
}

void c_scope(uint64_t zones)
{
    while (zones--) scope();
}

void c_original(uint64_t zones)
{
    while (zones--) original();
}

FUNCTION counter(void)
{
    IPROF_COUNTER("counter of C");
    sink = sink + 1;
}

FUNCTION value(void)
{
    static iprof_value value = IPROF_VALUE("value of C", "unit");
    iprof_value_add(&value, 1);
    sink = sink + 1;
}

FUNCTION value_double(void)
{
    static iprof_value value = IPROF_VALUE_IN_STEPS("double of C", "unit", 1000);
    iprof_value_add_double(&value, 0.001);
    sink = sink + 1;
}

void c_counter(uint64_t zones)
{
    while (zones--) counter();
}

void c_value(uint64_t zones)
{
    while (zones--) value();
}

void c_value_double(uint64_t zones)
{
    while (zones--) value_double();
}

void c_turns(uint64_t zones)
{
    for (; zones >= 3; zones -= 3) {
        first();
        second();
        third();
    }
}

void c_nested(uint64_t zones)
{
    for (; zones >= 3; zones -= 3) {
        IPROF_SCOPE("outer of C");
        first();
        second();
    }
}
