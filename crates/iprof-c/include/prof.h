/* prof.h - the original IProf's interface, for C and C++. Its zones are iprof zones.
 *
 * Define Prof_ENABLED to profile. Otherwise this header compiles to nothing and needs no library. If you also include
 * iprof.h, its functions operate on the same zones. */
#ifndef Prof_INC_PROF_H
#define Prof_INC_PROF_H

#ifdef __cplusplus
#define Prof_C extern "C"
#else
#define Prof_C extern
#endif

/* Has the same layout as iprof_zone. */
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

/* Declares a public zone. In other files: extern Prof_Declare(zone); */
#define Prof_Declare(zone) Prof_Zone Prof_region_##zone

#ifdef Prof_ENABLED

#include "iprof_inline.h"

#ifdef __GNUC__
#define Prof_UNUSED __attribute__((unused))
#else
#define Prof_UNUSED
#endif

/* Called by the macros below. Prof_make returns the handle for the functions in iprof_inline.h. Prof_count counts an
 * entry without measuring time. A `zone` of NULL means the zone "(unnamed)". */
Prof_C const void *Prof_make(Prof_Zone *zone);
Prof_C void Prof_count(Prof_Zone *zone);

IPROF_INLINE const void *Prof_made(Prof_Zone *zone)
{
    const void *made = IPROF_LOAD(&zone->made);
    return made ? made : Prof_make(zone);
}

/* Defines a zone at file scope or, after `static`, in the current scope. In C++, define a zone that C code also uses
 * with extern "C" { Prof_Define(zone); }. Without the braces, g++ warns that the zone is initialized and declared
 * extern. */
#define Prof_Define(zone) Prof_Declare(zone) = { #zone, __FILE__, __LINE__, 0, 0, 0 }

/* These are like declarations, so no semicolon follows them. Prof_End closes the innermost zone. */
#define Prof_Region(zone) IPROF_SITE Prof_site_##zone; \
    int Prof_entered_##zone Prof_UNUSED = (iprof_begin(&Prof_site_##zone, Prof_made(&Prof_region_##zone)), 0);
#define Prof_Begin(zone) static Prof_Define(zone); Prof_Region(zone)
#define Prof_End iprof_end_innermost();

/* Counts how many times it is reached. */
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

/* Ends the frame. Pass 1 to record it, or 0 to discard it. */
Prof_C void Prof_update(int record);

/* Draws the report. (sx, sy) is where the top line is printed; width and height limit the whole report. line_spacing
 * is the distance between lines, negative if y points up. print_text receives a text and its lower left corner in
 * these coordinates, and draws the text in OpenGL's current color. text_width returns the text's width. Times have
 * `precision` decimal places, 1 to 4. If OpenGL's immediate mode is available, it is used to draw bars behind the
 * text. If a function is NULL, nothing is drawn. */
Prof_C void Prof_draw_gl(float sx, float sy, float width, float height, float line_spacing, int precision,
                         void (*print_text)(float x, float y, char *text), float (*text_width)(char *text));

/* Draws a line for each zone over the newest 128 frames, using OpenGL's immediate mode. The graph starts at (sx, sy),
 * with x_spacing per frame and y_spacing per millisecond. The newest frame is always at sx + 127 * x_spacing. */
Prof_C void Prof_draw_graph_gl(float sx, float sy, float x_spacing, float y_spacing);

/* Sets the contents of the report: zones by self time, zones by hierarchical time, or the selected zone's callers and
 * callees. Other numbers are ignored. */
Prof_C void Prof_set_report_mode(Prof_Report_Mode mode);

/* Moves the cursor down by `delta` lines, or up if `delta` is negative. The cursor stops at both ends. */
Prof_C void Prof_move_cursor(int delta);

/* Moves the cursor to a line, counted from 0. If it is out of range, the nearest line is used. */
Prof_C void Prof_set_cursor(int line);

/* Shows the call graph of the zone under the cursor. */
Prof_C void Prof_select(void);

/* Shows the call graph of the selected zone's most expensive caller. Does nothing if the zone has no caller. */
Prof_C void Prof_select_parent(void);

/* Moves `delta` frames forward, or back if `delta` is negative. Stops at the oldest and newest recorded frame. */
Prof_C void Prof_move_frame(int delta);

/* Shows the frame that is `frame` frames back. 0 is the live view, 1 the newest frame before it, and so on. */
Prof_C void Prof_set_frame(int frame);

/* Sets whether a recursive zone has one line, or a line for each depth. Other numbers are ignored. */
Prof_C void Prof_set_recursion(Prof_Recursion_Mode mode);

/* Set the average: 0 for the newest frame, 1 for a fast average, 2 for a slow one. Other numbers are clamped to this
 * range. The original's manual uses the first name, and its header the second. */
Prof_C void Prof_set_average(int average);
Prof_C void Prof_set_smoothing(int average);

#else /* without Prof_ENABLED */

/* This is an empty declaration, because a semicolon follows it. */
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

/* These are functions rather than macros, so that a key table can store pointers to them. */
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
