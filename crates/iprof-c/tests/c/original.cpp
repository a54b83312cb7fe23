// The program's C++ code: a scoped zone, and a zone defined in the C code.
#include "prof.h"

extern "C" {
extern Prof_Declare(shared);
void in_cpp(void);
}

static void thrown()
{
    Prof(thrown);
    throw 1;
}

void in_cpp(void)
{
    Prof(cpp);
    for (int at = 0; at < 3; at++) {
        Prof(loop);
    }
    try {
        thrown();
    } catch (int) {
    }
    Prof_Scope(shared);
}
