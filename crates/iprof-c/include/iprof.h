/* iprof.h - an interactive profiler that lives inside your program. C99 and later, C++11 and later.
 *
 *     static iprof_zone physics = IPROF_ZONE("physics");
 *
 *     void step(void)
 *     {
 *         iprof_zone_begin(&physics);
 *         ...
 *         iprof_zone_end(&physics);
 *     }
 *
 *     each frame:  iprof_update(true);
 *                  iprof_draw_gl(20, 20, 560, 400, 2);
 *
 * In C++, and in C by gcc and clang, IPROF_SCOPE("physics"); measures to the end of the scope.
 *
 * Rules. You may call any function from any thread, at any time: before the first frame, in a destructor of a thread, in a
 * function of atexit. Texts are UTF-8; other bytes become U+FFFD. iprof copies the texts that you pass. A function that returns
 * iprof_error returns IPROF_OK or a code, and iprof_error_message() then says what is wrong. A function that fails changes
 * nothing. No call raises an exception. A signal handler may enter and leave zones, and nothing else.
 */
#ifndef IPROF_H
#define IPROF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "iprof_inline.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- errors -------------------------------------------------------------------------------------------------- */

typedef enum iprof_error {
    IPROF_OK = 0,
    IPROF_ERROR_NULL = 1,       /* a pointer that must not be NULL is NULL */
    IPROF_ERROR_VALUE = 2,      /* a number, a name or a text has no meaning here */
    IPROF_ERROR_NOT_FOUND = 3,  /* there is no such thread or GPU zone */
    IPROF_ERROR_NO_OVERLAY = 4, /* this thread has no overlay: iprof_gl_init or iprof_drawing_begin makes one */
    IPROF_ERROR_GL = 5,         /* there is no context, it is too old, or it lacks something */
    IPROF_ERROR_IO = 6,         /* the file system or a function that writes reported an error */
    IPROF_ERROR_INTERNAL = 7    /* iprof has a defect */
} iprof_error;

/* Returns the message of this thread's last error, "" if there was none. It is valid until the next error on this thread. */
IPROF_API const char *iprof_error_message(void);

/* ---- zones --------------------------------------------------------------------------------------------------- */

/* A zone: a static, or anything else that exists while the zone is open. Zones of the same name, file, line, flags and budget are
 * one zone. All threads may use it at once. */
typedef struct iprof_zone {
    const char *name; /* NULL or "": the zone "(unnamed)" */
    const char *file; /* NULL: no place is shown */
    unsigned line;    /* from 1 */
    unsigned flags;   /* 0 or IPROF_ZONE_IDLE */
    const void *made; /* iprof's own; NULL at first */
    unsigned budget;  /* the longest that it should take in a frame, in microseconds, at most an hour; 0: no budget */
} iprof_zone;

enum {
    IPROF_ZONE_IDLE = 1 /* the program only waits in this zone */
};

/* Initialize a zone that is declared at this place; a zone in which the program only waits; a zone with a budget in
 * milliseconds, which is a constant: see iprof_set_zone_budget. */
#define IPROF_ZONE(name) { name, __FILE__, __LINE__, 0, NULL, 0 }
#define IPROF_ZONE_WAIT(name) { name, __FILE__, __LINE__, IPROF_ZONE_IDLE, NULL, 0 }
#define IPROF_ZONE_BUDGET(name, ms) { name, __FILE__, __LINE__, 0, NULL, (unsigned)((ms) * 1e3 + 0.5) }

/* Returns the zone's handle for the functions of iprof_inline.h, creating it on first use. */
IPROF_API const void *iprof_make_zone(iprof_zone *zone);

/* Counts an entry of a zone that iprof_make_zone returned, without measuring time. NULL does nothing. */
IPROF_API void iprof_count(const void *made);

IPROF_INLINE const void *iprof_made(iprof_zone *zone)
{
    const void *made = zone ? IPROF_LOAD(&zone->made) : NULL;
    return made ? made : iprof_make_zone(zone);
}

/* void iprof_zone_begin(iprof_zone *zone): opens a zone on this thread. NULL is the zone "(unnamed)". */
#ifdef __GNUC__
#define iprof_zone_begin(zone) __extension__({ IPROF_SITE iprof_here; iprof_begin(&iprof_here, iprof_made(zone)); })
#else
IPROF_INLINE void iprof_zone_begin(iprof_zone *zone) { iprof_begin(NULL, iprof_made(zone)); }
#endif

/* Closes the zone's innermost opening on this thread, and the zones that are open above it. If the zone is not open, nothing is
 * closed. Both faults are counted, and a warning of the report names the zone. */
IPROF_INLINE void iprof_zone_end(iprof_zone *zone) { iprof_end_of(iprof_made(zone)); }

/* Closes this thread's innermost open zone, whichever it is. */
IPROF_INLINE void iprof_end(void) { iprof_end_innermost(); }

/* Counts an entry without measuring time. Below one caller, either enter a zone or count it. */
IPROF_INLINE void iprof_zone_count(iprof_zone *zone) { iprof_count(iprof_made(zone)); }

/* Limits how many zones C and other run-time code may make, 10,000 by default. Further names share "(other names)". */
IPROF_API void iprof_set_zone_limit(size_t limit);

/* ---- named values -------------------------------------------------------------------------------------------- */

/* A number in a unit of your own, such as bodies, triangles or bytes, that is added up by call stack: the report shows its sum,
 * and the time per unit. A static, or anything else that stays. Values of the same name, unit and steps are one value. All
 * threads may use it at once.
 *
 *     static iprof_value bodies = IPROF_VALUE("bodies", "body");
 *     static iprof_value energy = IPROF_VALUE_IN_STEPS("energy", "J", 1000);
 *
 *     iprof_value_add(&bodies, count);
 *     iprof_value_add_double(&energy, 0.25); */
typedef struct iprof_value {
    const char *name; /* NULL or "": "(unnamed)" */
    const char *unit; /* the name of one unit; NULL: none */
    unsigned steps;   /* how many steps a unit has; 0 is 1, for whole numbers */
    const void *made; /* iprof's own; NULL at first */
} iprof_value;

/* Initialize a value of whole numbers; a value to which doubles are added, each rounded to the nearest step. Sums are whole
 * numbers of steps, of 64 bits: exact, and the same in whatever order threads add. */
#define IPROF_VALUE(name, unit) { name, unit, 1, NULL }
#define IPROF_VALUE_IN_STEPS(name, unit, steps) { name, unit, steps, NULL }

/* Returns the value's handle for iprof_add, creating it on first use. Returns NULL for a NULL value and beyond the limit of
 * zones, which includes values; a warning of the report then names the first one. */
IPROF_API const void *iprof_make_value(iprof_value *value);

IPROF_INLINE const void *iprof_made_value(iprof_value *value)
{
    const void *made = value ? IPROF_LOAD(&value->made) : NULL;
    return made ? made : iprof_make_value(value);
}

/* Returns a number of units in steps, modulo 2^64. */
IPROF_INLINE uint64_t iprof_steps(const iprof_value *value, int64_t units)
{
    return (uint64_t)units * (value && value->steps ? value->steps : 1);
}

/* Returns the nearest number of steps of 64 bits; 0 for NaN. */
IPROF_INLINE uint64_t iprof_nearest_steps(const iprof_value *value, double units)
{
    double steps = units * (value && value->steps ? value->steps : 1);
    steps += steps < 0 ? -0.5 : 0.5;
    if (steps > -9223372036854775808.0 && steps < 9223372036854775808.0) return (uint64_t)(int64_t)steps;
    return steps > 0 ? (uint64_t)INT64_MAX : steps < 0 ? (uint64_t)INT64_MIN : 0;
}

/* void iprof_value_add(iprof_value *value, int64_t units), void iprof_value_add_double(iprof_value *value, double units): add
 * to a value at the zone that is open on this thread. The number may be negative. NULL does nothing. */
#ifdef __GNUC__
#define iprof_value_add(value, units) __extension__({ IPROF_SITE iprof_added_here; iprof_value_add_at(&iprof_added_here, value, units); })
#define iprof_value_add_double(value, units) \
    __extension__({ IPROF_SITE iprof_added_here; iprof_value_add_double_at(&iprof_added_here, value, units); })
IPROF_INLINE void iprof_value_add_at(struct iprof_site *site, iprof_value *value, int64_t units)
{
    iprof_added(site, iprof_made_value(value), iprof_steps(value, units));
}
IPROF_INLINE void iprof_value_add_double_at(struct iprof_site *site, iprof_value *value, double units)
{
    iprof_added(site, iprof_made_value(value), iprof_nearest_steps(value, units));
}
#else
IPROF_INLINE void iprof_value_add(iprof_value *value, int64_t units) { iprof_add(NULL, iprof_made_value(value), iprof_steps(value, units)); }
IPROF_INLINE void iprof_value_add_double(iprof_value *value, double units)
{
    iprof_add(NULL, iprof_made_value(value), iprof_nearest_steps(value, units));
}
#endif

/* ---- frames -------------------------------------------------------------------------------------------------- */

/* Ends the frame: records it, or with false discards it. Call it once a frame. */
IPROF_API void iprof_update(bool record);

/* Forgets everything that was recorded. */
IPROF_API void iprof_reset(void);

/* Gives the frame that ends next a name. */
IPROF_API iprof_error iprof_mark(const char *name);

/* Sets how many frames are remembered, 1,024 by default; in how many bytes at most, 0 for any number; and how many of the
 * longest frames are kept beyond that, 16 by default. */
IPROF_API void iprof_set_history(size_t frames);
IPROF_API void iprof_set_history_memory(size_t bytes);
IPROF_API void iprof_set_longest_frames(size_t frames);

/* Sets the longest that a frame should take, in milliseconds, 16.67 by default, at most an hour. The graph has a line at it, and
 * the action compare_slow_frames compares the frames over it with the rest. */
IPROF_API iprof_error iprof_set_frame_budget(double ms);

/* Sets the longest that the zones of a name should take in a frame, in milliseconds, from 0.001 to an hour; 0 removes the
 * budget, also one in the code. The zones may be entered later. A zone's time with its callees counts, on one thread. Rows of
 * zones over their budget are red, and have IPROF_ROW_OVER_BUDGET. */
IPROF_API iprof_error iprof_set_zone_budget(const char *name, double ms);

/* Is called after a frame that took longer than the budget, with its number and both times in milliseconds. */
typedef void (*iprof_slow_frame)(void *context, uint64_t number, double ms, double budget_ms);

/* Calls the function once a hitch: after the first frame in a row that is over the budget, unless the last call was less
 * than `dead_time` seconds ago. iprof_update calls it, on its thread; it may call everything here. It replaces the previous
 * function; NULL is none. */
IPROF_API iprof_error iprof_on_slow_frame(iprof_slow_frame callback, void *context, double dead_time);

/* If no frame ends for `timeout` seconds, at least 0.02, a thread of iprof writes which zones are open, and for how long, to
 * stderr and to the file. 0 turns this off; NULL is no file. */
IPROF_API iprof_error iprof_set_stall_timeout(double timeout, const char *file);

/* ---- timing and threads -------------------------------------------------------------------------------------- */

/* Sets the timing mode: "exact"; "sampled" or "sampled:HZ"; "auto" or "auto:PERCENT", exact times that cost at most that
 * percentage; or "off". */
IPROF_API iprof_error iprof_set_timing(const char *timing);

/* Writes the timing mode as such a text of at most size - 1 bytes and a 0; returns the length of the whole text. The buffer
 * may be NULL. */
IPROF_API size_t iprof_timing(char *buffer, size_t size);

/* Sets and returns whether this thread's zones are recorded. */
IPROF_API void iprof_set_recording(bool record);
IPROF_API bool iprof_is_recording(void);

/* Registers this thread before its first zone: it appears in reports from then on. */
IPROF_API void iprof_register_thread(void);
IPROF_API iprof_error iprof_set_thread_name(const char *name);

/* ---- actions, keys, pointer ---------------------------------------------------------------------------------- */

/* Performs what a key, a button or a menu does, such as "select" or "move_cursor -1". Rows count from 0.
 *
 * The actions:
 *     move_cursor ROWS, set_cursor ROW  the nearest row if it is out of range
 *     click_row ROW, toggle_row ROW  like the primary and the secondary button of the mouse
 *     select, select_parent, select_zone NAME  callers and callees of a zone
 *     expand, collapse  the row under the cursor
 *     go_back, go_forward  through the visited zones
 *     set_report_mode MODE, next_report_mode  self-time, hierarchical-time, call-graph, call-graph-descendants, call-tree
 *     move_frame FRAMES, extend_range FRAMES  negative is into the past
 *     set_frames FRAMES  "live", "longest", "back 3", the number of a frame, two numbers of a range, or "marked NAME"
 *     compare_slow_frames, move_band BANDS, move_bucket BUCKETS  the whole session by frame length and by time
 *     previous_spike, next_spike, previous_zone_spike, next_zone_spike, previous_mark, next_mark
 *     set_average AVERAGE, next_average  newest, fast (0.8 s), slow (2.5 s)
 *     set_recursion RECURSION, next_recursion  flatten, spread
 *     set_threads NAME, next_threads  the first thread of that name; without a name, all threads
 *     set_value NAME, next_value  the named value that has columns; without a name, none
 *     set_filter TEXT, edit_filter, end_filter, erase_filter, clear_filter
 *     next_baseline, set_baseline_to_shown_frame
 *     next_sort, reverse_sort, next_columns, next_min_share, toggle_grouping, toggle_idle, toggle_net_times
 *     scroll_graph FRAMES, zoom_graph FACTOR, next_graph_style
 *     scroll_graph_vertically MILLISECONDS, zoom_graph_vertically FACTOR
 *     toggle_flame, walk_flame STEP, zoom_flame, unzoom_flame  a step is caller, callee, left or right
 *     next_theme, less_precision, more_precision, toggle_hidden, next_help_page, close_help
 *     toggle_pause, next_timing, mark, next_history_memory, next_longest_frames
 */
IPROF_API iprof_error iprof_act(const char *action);

enum { IPROF_SHIFT = 1, IPROF_CONTROL = 2, IPROF_ALT = 4, IPROF_META = 8 };

/* Handle a pressed key by its name, such as "F1", "Tab", "ArrowUp" or "a", and typed text. They return whether it was used; the
 * program should then ignore it. NULL is not used. The help, on F1, lists the keys. */
IPROF_API bool iprof_key(const char *key, unsigned modifiers);
IPROF_API bool iprof_text(const char *typed);

/* Binds a key with modifiers, a sum of the constants above, to an action, in place of its previous one; NULL removes it. The
 * actions set_recursion, set_threads, set_value and set_filter have no keys. Upper and lower case are one key. A key by its
 * position, such as "KeyS", is found where the program passes positions to iprof_key. */
IPROF_API iprof_error iprof_bind_key(const char *key, unsigned modifiers, const char *action);

/* Handle the pointer, in pixels from the top left corner of the viewport, y downwards. Button 0 selects, button 1 opens and closes
 * rows. Lines of the wheel are positive away from the user. They return whether the overlay used the event. */
IPROF_API bool iprof_pointer_moved(float x, float y);
IPROF_API bool iprof_pointer_left(void);
IPROF_API bool iprof_pointer_button(int button, bool down);
IPROF_API bool iprof_pointer_wheel(float lines, bool zoom);

enum {
    IPROF_TOUCH_STARTED = 0,
    IPROF_TOUCH_MOVED = 1,
    IPROF_TOUCH_ENDED = 2,
    IPROF_TOUCH_CANCELLED = 3 /* the system took the touch for a gesture of its own */
};

/* Handles a finger on a touch screen, in the units of the pointer: a tap selects, a drag moves the cursor or scrolls the graph,
 * two fingers zoom it. The number tells apart the fingers that are down at once. An unknown phase and a place that is not finite
 * do nothing. Returns whether the overlay used the event. */
IPROF_API bool iprof_touch(uint64_t finger, int phase, float x, float y);

/* Return what keys have set: pass !iprof_is_paused() to iprof_update; draw nothing while hidden. */
IPROF_API bool iprof_is_paused(void);
IPROF_API bool iprof_is_hidden(void);

/* ---- the report, text and files ------------------------------------------------------------------------------ */

enum {
    IPROF_ROW_CURSOR = 1,      /* the cursor is on the row */
    IPROF_ROW_IDLE = 2,        /* the program waits in the zone */
    IPROF_ROW_COUNTER = 4,     /* the zone is counted, and has no times */
    IPROF_ROW_OWN = 8,         /* the zone is iprof's own */
    IPROF_ROW_OVER_BUDGET = 16 /* the zone exceeds its budget on a thread in view, in the frame shown or on average */
};

/* A row of the report. Numbers are NaN where the row or the report has none. */
typedef struct iprof_row {
    const char *name;
    const char *file; /* where the zone is in the code; NULL if unknown */
    unsigned line;
    unsigned indent;
    unsigned flags;
    float heat; /* how much the main time fluctuates, 0 to 1 */
    double self_ms, hierarchical_ms, count;
    double gpu_ms;
    double value; /* the sum of the named value that is shown, in its unit */
    char marker;  /* '+' can be opened, '-' is open, ' ' is a leaf */
} iprof_row;

/* Takes a row, which is valid until the function returns. */
typedef void (*iprof_each_row)(void *context, const iprof_row *row);

/* Calls the function for each row of the report, from top to bottom. */
IPROF_API iprof_error iprof_report_rows(iprof_each_row each, void *context);

/* Takes bytes, without a 0 at their end; returns 0 to get more. Any other result ends the call with IPROF_ERROR_IO. */
typedef int (*iprof_write)(void *context, const char *bytes, size_t length);

/* Writes to a FILE *, as in iprof_write_report(iprof_to_file, stdout). */
IPROF_INLINE int iprof_to_file(void *file, const char *bytes, size_t length)
{
    return file && fwrite(bytes, 1, length, (FILE *)file) == length ? 0 : 1;
}

/* Writes the report as text, with its title and warnings. */
IPROF_API iprof_error iprof_write_report(iprof_write write, void *context);

/* Writes all that was recorded, of all threads, since the start or iprof_reset, into a file, which it replaces. The end of the name
 * tells the format: .txt .cycles.txt .folded .callgrind .gprof .html .pb.gz .speedscope.json .trace.json .json .csv */
IPROF_API iprof_error iprof_write_file(const char *path);

/* Writes the same through a function. The format is "tree", "tree-in-cycles", "folded", "callgrind", "gprof", "html", "pprof",
 * "speedscope", "trace-events", "trace-events-gzip", "json" or "csv". */
IPROF_API iprof_error iprof_write_profile(const char *format, iprof_write write, void *context);

/* ---- the overlay --------------------------------------------------------------------------------------------- */

/* Returns the address of an OpenGL function: SDL_GL_GetProcAddress, or glfwGetProcAddress with a cast. */
typedef void *(*iprof_gl_loader)(const char *name);

/* Makes this thread's overlay, for the context that is current on it: OpenGL 2.1, OpenGL ES 2.0, or later. The context
 * must be current in each call below. A second call replaces the overlay. */
IPROF_API iprof_error iprof_gl_init(iprof_gl_loader loader);

/* Deletes the overlay's objects from the context. Without an overlay nothing happens. */
IPROF_API void iprof_gl_destroy(void);

/* Draws the report into a rectangle, in pixels from the top left corner of the viewport. Times have 1 to 4 decimal places. The
 * host's GL state is restored. Without an overlay nothing happens. */
IPROF_API void iprof_draw_gl(float x, float y, float w, float h, int precision);

/* Draws a bar for each frame, x_spacing wide and y_spacing high for each millisecond; (x, y) is the top left corner. */
IPROF_API void iprof_draw_graph_gl(float x, float y, float x_spacing, float y_spacing);

/* Draws everything that keys control, usually into the window less a margin: the report in the upper left, the graph at the
 * bottom, the help or a hint to it, and the tooltip. It draws nothing while hidden. */
IPROF_API void iprof_draw_controls_gl(float x, float y, float w, float h);

/* For a program that places the report and the graph itself: draws the help, into the report's rectangle, and then the tooltip. */
IPROF_API void iprof_draw_help_gl(float x, float y, float w, float h);
IPROF_API void iprof_draw_tooltip_gl(void);

/* Sets the factor of all sizes, as for a screen of many pixels. */
IPROF_API iprof_error iprof_set_scale(float scale);

/* Sets the colors: "dark", "light" or "color-blind". */
IPROF_API iprof_error iprof_set_theme(const char *name);

/* Sets a TrueType or OpenType font, which is copied. */
IPROF_API iprof_error iprof_set_font(const void *bytes, size_t length);

/* ---- a renderer of your own ---------------------------------------------------------------------------------- */

/* Draw for Vulkan, Direct3D, Metal or software: the overlay as triangles. Each frame, on the thread that draws: begin, with the
 * size of the target in pixels; add parts, the lowest first; and draw what iprof_drawing_data returns. Keys, the pointer,
 * iprof_set_scale and the like work as with OpenGL. */
IPROF_API iprof_error iprof_drawing_begin(float w, float h);
IPROF_API void iprof_draw_report(float x, float y, float w, float h, int precision);
IPROF_API void iprof_draw_graph(float x, float y, float x_spacing, float y_spacing);
IPROF_API void iprof_draw_controls(float x, float y, float w, float h);

typedef struct iprof_vertex {
    float x, y;       /* pixels from the top left corner, y downwards */
    uint16_t u, v;    /* in the atlas: 65535 is its right, or its lower edge */
    uint8_t color[4]; /* red, green, blue, opacity; not multiplied */
} iprof_vertex;

/* A drawing: of each four vertices the triangles 0 1 2 and 0 2 3, in order. The opacity is that of the color times that of
 * the atlas, a texture of one channel whose nearest texel is taken. */
typedef struct iprof_drawing {
    const iprof_vertex *vertices;
    size_t vertex_count;
    uint64_t atlas_version; /* pass it the next time */
    unsigned atlas_width, atlas_height;
    unsigned x, y, width, height; /* the part of the atlas to upload before, ... */
    const uint8_t *pixels;        /* ... row by row, without gaps; NULL if there is none */
} iprof_drawing;

/* Returns what was drawn since iprof_drawing_begin. The version is that of the atlas which you have uploaded, 0 for none. The
 * pointers are valid until this thread's next call of these functions. */
IPROF_API iprof_error iprof_drawing_data(uint64_t version, iprof_drawing *drawing);

/* Frees what this thread draws with. */
IPROF_API void iprof_drawing_destroy(void);

/* ---- the GPU ------------------------------------------------------------------------------------------------- */

/* Open and close a zone on the CPU and in the commands that the context gets meanwhile: the report has a column of GPU times,
 * which are known some frames later. Without an overlay in OpenGL it is a zone on the CPU. Close it by its own function, on the
 * same thread; this closes GPU zones that are still open within it. */
IPROF_API void iprof_gpu_begin(const void *made);
IPROF_API void iprof_gpu_end(const void *made);
IPROF_INLINE void iprof_gpu_zone_begin(iprof_zone *zone) { iprof_gpu_begin(iprof_made(zone)); }
IPROF_INLINE void iprof_gpu_zone_end(iprof_zone *zone) { iprof_gpu_end(iprof_made(zone)); }

/* GPU zones whose times the program measures by itself, by Vulkan, Direct3D, Metal or otherwise. A timeline stands for one queue,
 * to which one thread at a time gives commands. Free it; zones that are not finished then have no time. */
typedef struct iprof_gpu_timeline iprof_gpu_timeline;
IPROF_API iprof_gpu_timeline *iprof_gpu_timeline_new(void);
IPROF_API void iprof_gpu_timeline_free(iprof_gpu_timeline *timeline);

/* Begins a zone on the GPU with the name of this thread's innermost open zone, inside the zone of the timeline that was begun
 * last and has not ended. Returns its number, or 0 if it is not recorded: no zone is open, recording is off, 65,536 zones are not
 * finished, or the timeline is NULL. A zone 0 needs no times, and the functions below ignore it. */
IPROF_API uint64_t iprof_gpu_timeline_begin(const iprof_gpu_timeline *timeline);

/* Ends a zone where its commands end, and the zones that were begun in it and have not ended. A second end does nothing. */
IPROF_API iprof_error iprof_gpu_timeline_end(const iprof_gpu_timeline *timeline, uint64_t zone);

/* Finishes a zone, in whatever later frame, after the zones in it: takes the GPU's times of its begin and its end, two numbers in
 * nanoseconds of any one clock, or NULL if they are not known. Finish each zone: the times of a frame are shown when all of its
 * zones are finished. A time that cannot be true, negative or longer than what has passed since the begin, is not shown, and the
 * report warns of it. IPROF_ERROR_NOT_FOUND if the zone is finished. */
IPROF_API iprof_error iprof_gpu_timeline_finish(const iprof_gpu_timeline *timeline, uint64_t zone, const uint64_t *ns);

#ifdef __cplusplus
} /* extern "C" */

namespace iprof {
/* Measures from its construction to the end of its scope. */
class scope {
public:
    IPROF_NO_HOOKS explicit scope(iprof_zone &zone, iprof_site *site = nullptr) noexcept
        : opened(iprof_opened(site, iprof_made(&zone))) {}
    IPROF_NO_HOOKS ~scope() { iprof_shut(opened); }
    scope(const scope &) = delete;
    scope &operator=(const scope &) = delete;

private:
    iprof_node *opened;
};

/* The same with iprof_gpu_zone_begin and iprof_gpu_zone_end. */
class gpu_scope {
public:
    explicit gpu_scope(iprof_zone &zone) noexcept : made(iprof_made(&zone)) { iprof_gpu_begin(made); }
    ~gpu_scope() { iprof_gpu_end(made); }
    gpu_scope(const gpu_scope &) = delete;
    gpu_scope &operator=(const gpu_scope &) = delete;

private:
    const void *made;
};
} /* namespace iprof */
#endif

/* ---- macros -------------------------------------------------------------------------------------------------- */

/* IPROF_SCOPE("name"); measures from here to the end of the scope. IPROF_FUNCTION(); does the same by the function's name,
 * IPROF_SCOPE_BUDGET("name", ms); with a budget, IPROF_GPU_SCOPE("name"); on the GPU, too. IPROF_COUNTER("name"); counts how often
 * it is passed. IPROF_ADD("bodies", "body", count); adds a whole number to a value. With IPROF_DISABLED they are nothing. */
#define IPROF_JOIN_(a, b) a##b
#define IPROF_JOIN(a, b) IPROF_JOIN_(a, b)

#ifdef IPROF_DISABLED
#define IPROF_SCOPE(name) ((void)0)
#define IPROF_SCOPE_BUDGET(name, ms) ((void)0)
#define IPROF_GPU_SCOPE(name) ((void)0)
#define IPROF_COUNTER(name) ((void)0)
#define IPROF_ADD(name, unit, units) ((void)0)
#else

#ifdef __cplusplus
#define IPROF_SCOPE_OF(initializer)                                     \
    static iprof_zone IPROF_JOIN(iprof_zone_, __LINE__) = initializer; \
    IPROF_SITE IPROF_JOIN(iprof_site_, __LINE__);                       \
    const ::iprof::scope IPROF_JOIN(iprof_scope_, __LINE__)(IPROF_JOIN(iprof_zone_, __LINE__), &IPROF_JOIN(iprof_site_, __LINE__))
#define IPROF_GPU_SCOPE(name)                                               \
    static iprof_zone IPROF_JOIN(iprof_zone_, __LINE__) = IPROF_ZONE(name); \
    const ::iprof::gpu_scope IPROF_JOIN(iprof_scope_, __LINE__)(IPROF_JOIN(iprof_zone_, __LINE__))
#elif defined(__GNUC__)
IPROF_INLINE void iprof_scope_end(struct iprof_node **opened) { iprof_shut(*opened); }
#define IPROF_SCOPE_OF(initializer)                                                                           \
    static iprof_zone IPROF_JOIN(iprof_zone_, __LINE__) = initializer;                                        \
    IPROF_SITE IPROF_JOIN(iprof_site_, __LINE__);                                                             \
    __attribute__((cleanup(iprof_scope_end), unused)) struct iprof_node *IPROF_JOIN(iprof_scope_, __LINE__) = \
        iprof_opened(&IPROF_JOIN(iprof_site_, __LINE__), iprof_made(&IPROF_JOIN(iprof_zone_, __LINE__)))
IPROF_INLINE const void *iprof_gpu_entered(iprof_zone *zone)
{
    const void *made = iprof_made(zone);
    iprof_gpu_begin(made);
    return made;
}
IPROF_INLINE void iprof_gpu_scope_end(const void **made) { iprof_gpu_end(*made); }
#define IPROF_GPU_SCOPE(name)                                                                              \
    static iprof_zone IPROF_JOIN(iprof_zone_, __LINE__) = IPROF_ZONE(name);                                \
    __attribute__((cleanup(iprof_gpu_scope_end), unused)) const void *IPROF_JOIN(iprof_scope_, __LINE__) = \
        iprof_gpu_entered(&IPROF_JOIN(iprof_zone_, __LINE__))
#endif

#define IPROF_COUNTER(name)                             \
    do {                                                \
        static iprof_zone iprof_here = IPROF_ZONE(name); \
        iprof_zone_count(&iprof_here);                  \
    } while (0)
#define IPROF_ADD(name, unit, units)                                \
    do {                                                            \
        static iprof_value iprof_value_here = IPROF_VALUE(name, unit); \
        iprof_value_add(&iprof_value_here, units);                  \
    } while (0)
#endif

#ifdef IPROF_SCOPE_OF
#define IPROF_SCOPE(name) IPROF_SCOPE_OF(IPROF_ZONE(name))
#define IPROF_SCOPE_BUDGET(name, ms) IPROF_SCOPE_OF(IPROF_ZONE_BUDGET(name, ms))
#endif
#ifdef IPROF_SCOPE
#define IPROF_FUNCTION() IPROF_SCOPE(__func__)
#endif

#endif /* IPROF_H */
