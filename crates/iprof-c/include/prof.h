/* prof.h - the interface of the original IProf, whose zones are iprof's. For C and C++.
 *
 * Define Prof_ENABLED to profile; without it all of this is nothing, and no library is needed.
 * With iprof.h beside it, everything of that header works on the same zones.
 */
#ifndef Prof_INC_PROF_H
#define Prof_INC_PROF_H

#ifdef __cplusplus
#define Prof_C extern "C"
#else
#define Prof_C extern
#endif

/* The layout of iprof_zone. */
typedef struct Prof_Zone {
    const char *name;
    const char *file;
    unsigned line;
    unsigned flags;
    const void *made;
    unsigned budget;
} Prof_Zone;

typedef enum {
    Prof_SELF_TIME,
    Prof_HIERARCHICAL_TIME,
    Prof_CALL_GRAPH
} Prof_Report_Mode;

typedef enum {
    Prof_FLATTEN_RECURSION,
    Prof_SPREAD_RECURSION
} Prof_Recursion_Mode;

/* A public zone: extern Prof_Declare(zone); in other files. */
#define Prof_Declare(zone) Prof_Zone Prof_region_##zone

#ifdef Prof_ENABLED

#include "iprof_inline.h"

#ifdef __GNUC__
#define Prof_UNUSED __attribute__((unused))
#else
#define Prof_UNUSED
#endif

/* What the macros below call. The zone as what the functions of iprof_inline.h take; NULL is the zone "(unnamed)". And one more
 * entry of the zone, without a time. */
Prof_C const void *Prof_make(Prof_Zone *zone);
Prof_C void Prof_count(Prof_Zone *zone);

IPROF_INLINE const void *Prof_made(Prof_Zone *zone)
{
    const void *made = IPROF_LOAD(&zone->made);
    return made ? made : Prof_make(zone);
}

/* A zone of this file, or with `static` before it, of this scope. For C, by C++: extern "C" { Prof_Define(zone); }. In one line
 * without braces g++ warns that it is initialized and declared extern. */
#define Prof_Define(zone) Prof_Declare(zone) = { #zone, __FILE__, __LINE__, 0, 0, 0 }

/* Like declarations, hence without a semicolon after them. Prof_End closes the innermost zone. */
#define Prof_Region(zone) IPROF_SITE Prof_site_##zone; \
    int Prof_entered_##zone Prof_UNUSED = (iprof_begin(&Prof_site_##zone, Prof_made(&Prof_region_##zone)), 0);
#define Prof_Begin(zone) static Prof_Define(zone); Prof_Region(zone)
#define Prof_End iprof_end_innermost();

/* Counts how often it is passed. */
#define Prof_Counter(zone) { static Prof_Define(zone); Prof_count(&Prof_region_##zone); }

#ifdef __cplusplus
struct Prof_Scope_Var {
    IPROF_NO_HOOKS Prof_Scope_Var(Prof_Zone &zone, iprof_site *site) : opened(iprof_opened(site, Prof_made(&zone))) {}
    IPROF_NO_HOOKS ~Prof_Scope_Var() { iprof_shut(opened); }
    iprof_node *opened;
};
#define Prof_Scope(zone) IPROF_SITE Prof_site_##zone; Prof_Scope_Var Prof_scope_##zone(Prof_region_##zone, &Prof_site_##zone)
#define Prof(zone) static Prof_Define(zone); Prof_Scope(zone)
#endif

/* Ends the frame: records it, or with 0 throws it away. */
Prof_C void Prof_update(int record);

/* Draws the report. (sx, sy) is where the top line is printed, width and height the room for all of it. line_spacing is
 * the way from one line to the next, negative where y grows upwards; print_text gets the lower left corner of a text, in
 * the same coordinates, and draws it in the current color of OpenGL; text_width returns how wide it will be. Times have
 * 1 to 4 decimal places. Bars behind the text are drawn by OpenGL's immediate mode, where the program has it. */
Prof_C void Prof_draw_gl(float sx, float sy, float width, float height, float line_spacing, int precision,
                         void (*print_text)(float x, float y, char *text), float (*text_width)(char *text));

/* Draws a line for each zone over the newest 128 frames, by immediate mode: from (sx, sy), x_spacing for a frame and y_spacing
 * for a millisecond. The newest frame is at sx + 127 * x_spacing, also while there are fewer. */
Prof_C void Prof_draw_graph_gl(float sx, float sy, float x_spacing, float y_spacing);

/* What the lines of the report are: zones by self time, zones by hierarchical time, or callers and callees of the selected zone.
 * Another number changes nothing. */
Prof_C void Prof_set_report_mode(Prof_Report_Mode mode);

/* Moves the cursor so many lines down, up if negative; it stops at both ends. */
Prof_C void Prof_move_cursor(int delta);

/* Puts the cursor on a line, 0 the first zone; a line out of range is the nearest. */
Prof_C void Prof_set_cursor(int line);

/* Shows the call graph of the zone under the cursor. */
Prof_C void Prof_select(void);

/* Shows the call graph of the most expensive caller of the selected zone; nothing happens if it has none. */
Prof_C void Prof_select_parent(void);

/* Goes so many frames forwards, back if negative; it stops at both ends of what is remembered. */
Prof_C void Prof_move_frame(int delta);

/* Shows the frame that is so many frames back: 0 is the live view, 1 the newest frame before it, and so on. */
Prof_C void Prof_set_frame(int frame);

/* Whether a recursive zone is one line, or a line for each depth. Another number changes nothing. */
Prof_C void Prof_set_recursion(Prof_Recursion_Mode mode);

/* One function, by the manual's name and by the header's: 0 the newest frame, 1 an average, 2 a slow one, or the nearest of
 * these. */
Prof_C void Prof_set_average(int average);
Prof_C void Prof_set_smoothing(int average);

#else /* without Prof_ENABLED */

/* A declaration that is nothing, since a semicolon follows. */
#define Prof_Define(zone) struct Prof_no_region_##zone
#define Prof_Region(zone)
#define Prof_Begin(zone)
#define Prof_End
#define Prof_Counter(zone)
#ifdef __cplusplus
#define Prof_Scope(zone) ((void)0)
#define Prof(zone) ((void)0)
#endif

#define Prof_update(record) ((void)(record))
#define Prof_draw_gl(sx, sy, width, height, line_spacing, precision, print_text, text_width) ((void)0)
#define Prof_draw_graph_gl(sx, sy, x_spacing, y_spacing) ((void)0)

/* Functions, which a table of keys can hold. */
static inline void Prof_set_report_mode(Prof_Report_Mode mode) { (void)mode; }
static inline void Prof_move_cursor(int delta) { (void)delta; }
static inline void Prof_set_cursor(int line) { (void)line; }
static inline void Prof_select(void) {}
static inline void Prof_select_parent(void) {}
static inline void Prof_move_frame(int delta) { (void)delta; }
static inline void Prof_set_frame(int frame) { (void)frame; }
static inline void Prof_set_recursion(Prof_Recursion_Mode mode) { (void)mode; }
static inline void Prof_set_average(int average) { (void)average; }
static inline void Prof_set_smoothing(int average) { (void)average; }

#endif
#endif /* Prof_INC_PROF_H */
