// The ways in which C and C++ can share a zone, from the manual.
#include "prof.h"

extern "C" Prof_Define(defined_in_cpp);
extern "C" Prof_Declare(declared_in_cpp);
extern "C" {
Prof_Define(defined_in_braces);
}

void shared();
void shared()
{
    {
        Prof_Region(defined_in_cpp)
        Prof_End
    }
    Prof_Scope(defined_in_braces);
}
