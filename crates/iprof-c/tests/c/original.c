/* A program written for the original IProf. It uses the features shown in the original's manual, and its own text
 * functions. */
#include "prof.h"
#include <stdio.h>
#include <string.h>

Prof_Define(shared);
void in_cpp(void);

static int lines;
static float least_y = 1e9f, most_y = -1e9f, most_x = -1e9f;
static void print_text(float x, float y, char *text)
{
    lines++;
    if (y < least_y) least_y = y;
    if (y > most_y) most_y = y;
    if (x + (float)strlen(text) > most_x) most_x = x + (float)strlen(text);
    printf("%g %g %s\n", x, y, text);
}

static float text_width(char *text) { return (float)strlen(text); }

static int early(int flag)
{
    Prof_Begin(early)
    int twice = flag * 2;
    if (twice == 0) {
        Prof_End
        return 0;
    }
    Prof_Counter(late)
    Prof_End
    return twice;
}

static void first(void)
{
    Prof_Region(shared)
    early(0);
    Prof_End
}

static void second(void)
{
    Prof_Region(shared)
    early(1);
    in_cpp();
    Prof_End
}

int main(void)
{
    int at;
    for (at = 0; at < 4; at++) {
        first();
        second();
        second();
        Prof_update(1);
    }
    Prof_set_average(0);
    Prof_set_smoothing(0);
    Prof_set_report_mode(Prof_SELF_TIME);
    Prof_set_recursion(Prof_FLATTEN_RECURSION);
    Prof_move_cursor(1);
    Prof_set_cursor(0);
    Prof_draw_gl(10, 100, 70, 400, 10, 2, print_text, text_width);
    /* y points down, and all lines are inside the area. */
    if (!lines || least_y != 100 || most_y > 500 || most_x > 80.5f) return 1;
    least_y = 1e9f, most_y = -1e9f;
    Prof_draw_gl(10, 500, 70, 400, -10, 2, print_text, text_width);
    if (most_y != 500 || least_y < 100) return 2;
    Prof_draw_graph_gl(0, 0, 1, 1);
    Prof_draw_gl(0, 0, 70, 400, 0, 2, print_text, text_width);
    Prof_draw_gl(0, 0, 70, 400, 10, 99, NULL, NULL);
    return 0;
}
