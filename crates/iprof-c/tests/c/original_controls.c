/* Checks how each control in prof.h changes the drawn text. */
#include "prof.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES = 8, LINE = 10, MOST_LINES = 100 };

/* The text of each line, with a vertical bar after each piece. */
static char lines[MOST_LINES][1000];
static int line_count, header;
static float last_y;

static void print_all(void)
{
    int at;
    for (at = 0; at < line_count; at++) printf("%s\n", lines[at]);
}

#define CHECK(condition) \
    do { if (!(condition)) { print_all(), printf("%s:%d: %s\n", __FILE__, __LINE__, #condition); exit(1); } } while (0)

static void print_text(float x, float y, char *text)
{
    (void)x;
    if (!line_count || y != last_y) {
        CHECK(line_count < MOST_LINES);
        lines[line_count++][0] = 0;
    }
    last_y = y;
    CHECK(strlen(lines[line_count - 1]) + strlen(text) + 2 < sizeof lines[0]);
    strcat(strcat(lines[line_count - 1], text), "|");
}

static float text_width(char *text) { return (float)strlen(text); }

static void draw(float height)
{
    line_count = 0;
    Prof_draw_gl(0, 0, 120, height, LINE, 2, print_text, text_width);
}

static int begins(const char *text, const char *with) { return !strncmp(text, with, strlen(with)); }

/* Draws everything, and finds the header line. */
static void draw_all(void)
{
    draw(MOST_LINES * LINE);
    for (header = 0; header < line_count && !begins(lines[header], "zone|"); header++) {}
    CHECK(header && header < line_count);
}

static int title_has(const char *text)
{
    draw_all();
    return strstr(lines[0], text) != NULL;
}

/* Returns the row with this text, counted from 0, or -1 if there is none. */
static int row_of(const char *text)
{
    int at;
    draw_all();
    for (at = header + 1; at < line_count; at++)
        if (begins(lines[at], text)) return at - header - 1;
    return -1;
}

/* Returns whether the cursor is on this row: a drawing with room for one row shows the cursor's row. */
static int is_at(int row)
{
    char wanted[sizeof lines[0]];
    draw_all();
    strcpy(wanted, lines[header + 1 + row]);
    draw((float)header * LINE * 1.5f + 2 * LINE);
    return line_count == header + 2 && !strcmp(lines[header + 1], wanted);
}

static int has_count(const char *zone, const char *count)
{
    int row = row_of(zone);
    return row >= 0 && strstr(lines[header + 1 + row], count) != NULL;
}

static void deep(int depth)
{
    Prof_Begin(deep)
    if (depth > 1) deep(depth - 1);
    Prof_End
}

static void inner(void)
{
    Prof_Begin(inner)
    Prof_End
}

static void outer(int times)
{
    Prof_Begin(outer)
    int at;
    for (at = 0; at < times; at++) inner();
    deep(3);
    Prof_End
}

int main(void)
{
    int at;
    /* Each frame can be recognized by a zone's count. */
    for (at = 1; at <= FRAMES; at++) {
        outer(100 + at);
        Prof_update(1);
    }
    CHECK(title_has("live, 0.8 s average") && title_has("self time"));
    Prof_set_average(0);
    CHECK(title_has("live, frame 8") && has_count("inner|", "|108|"));
    Prof_set_average(2);
    CHECK(title_has("live, 2.5 s average"));
    Prof_set_smoothing(1);
    CHECK(title_has("live, 0.8 s average") && !has_count("inner|", "|108|"));
    Prof_set_smoothing(0);
    CHECK(title_has("live, frame 8"));

    Prof_set_report_mode(Prof_HIERARCHICAL_TIME);
    CHECK(title_has("hierarchical time"));
    Prof_set_report_mode(Prof_SELF_TIME);
    CHECK(title_has("self time"));

    Prof_set_recursion(Prof_SPREAD_RECURSION);
    CHECK(row_of("+deep (2)|") >= 0 && title_has("self time"));
    Prof_set_recursion(Prof_FLATTEN_RECURSION);
    CHECK(row_of("+deep (2)|") < 0 && row_of("deep (3)|") >= 0);

    Prof_set_frame(3);
    CHECK(title_has("frame 5, 3 frames ago") && has_count("inner|", "|105|"));
    Prof_move_frame(-2);
    CHECK(title_has("frame 3, 5 frames ago") && has_count("inner|", "|103|"));
    Prof_move_frame(1);
    CHECK(title_has("frame 4, 4 frames ago") && has_count("inner|", "|104|"));
    Prof_set_frame(1);
    CHECK(title_has("frame 7"));
    Prof_set_frame(0);
    CHECK(title_has("live, frame 8"));

    Prof_set_cursor(2);
    CHECK(is_at(2));
    Prof_set_cursor(1);
    CHECK(is_at(1));
    Prof_move_cursor(2);
    CHECK(is_at(3));
    Prof_move_cursor(-1);
    CHECK(is_at(2));

    Prof_set_cursor(row_of("inner|"));
    Prof_select();
    CHECK(title_has("call graph") && row_of("-inner|") >= 0);
    Prof_select_parent();
    CHECK(title_has("call graph") && row_of("-outer|") >= 0 && row_of("-inner|") < 0);
    Prof_set_report_mode(Prof_SELF_TIME);
    CHECK(title_has("self time"));
    Prof_set_report_mode(Prof_CALL_GRAPH);
    CHECK(title_has("call graph"));
    return 0;
}
