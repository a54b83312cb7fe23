/* iprof.h - an interactive profiler that runs inside your program. For C99 and later, and C++11 and later.
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
 * In C++, and in C with gcc or clang, IPROF_SCOPE("physics"); measures to the end of the scope.
 *
 * Rules:
 * - You may call any function from any thread at any time, even before the first frame, in a thread's destructor, or
 *   in an atexit function. A signal handler may only enter and leave zones.
 * - Strings are UTF-8; invalid bytes become U+FFFD. iprof copies all strings that you pass.
 * - A function that returns iprof_error returns IPROF_OK or an error code. After an error, iprof_error_message()
 *   describes it. A function that fails changes nothing. No function throws an exception.
 * - A pointer may be NULL only if the function's comment allows it. If it doesn't, a function that returns
 *   iprof_error returns IPROF_ERROR_NULL. Pointers called `context` are passed through to your functions.
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
    IPROF_ERROR_VALUE = 2,      /* a number, name or string is not valid here */
    IPROF_ERROR_NOT_FOUND = 3,  /* there is no such thread or GPU zone */
    IPROF_ERROR_NO_OVERLAY = 4, /* this thread has no overlay; call iprof_gl_init or iprof_drawing_begin */
    IPROF_ERROR_GL = 5,         /* there is no context, or it is too old or lacks a required feature */
    IPROF_ERROR_IO = 6,         /* the file system or your write function reported an error */
    IPROF_ERROR_INTERNAL = 7    /* a bug in iprof */
} iprof_error;

/* Returns the message of this thread's last error, or "" if there was none. The string is valid until the next error
 * on this thread. */
IPROF_API const char *iprof_error_message(void);

/* ---- zones --------------------------------------------------------------------------------------------------- */

/* A zone: a named section of code. Make it static, or keep it alive while the zone is open. Zones with the same name,
 * file, line, flags and budget are the same zone. Any number of threads may use a zone at the same time. A NULL
 * pointer to a zone means the zone "(unnamed)". */
typedef struct iprof_zone {
    const char *name; /* NULL or "" means "(unnamed)" */
    const char *file; /* NULL if there is no source location */
    unsigned line;    /* counted from 1 */
    unsigned flags;   /* 0 or IPROF_ZONE_IDLE */
    const void *made; /* used by iprof; initialize with NULL */
    unsigned budget;  /* zone budget: the longest time per frame, in microseconds, at most an hour; 0 for none */
} iprof_zone;

enum {
    IPROF_ZONE_IDLE = 1 /* the program only waits in this zone */
};

/* Initializers for a zone at this source location. IPROF_ZONE_WAIT is for zones in which the program only waits.
 * IPROF_ZONE_BUDGET sets a zone budget, a constant in milliseconds; see iprof_set_zone_budget. */
#define IPROF_ZONE(name) { name, __FILE__, __LINE__, 0, NULL, 0 }
#define IPROF_ZONE_WAIT(name) { name, __FILE__, __LINE__, IPROF_ZONE_IDLE, NULL, 0 }
#define IPROF_ZONE_BUDGET(name, ms) { name, __FILE__, __LINE__, 0, NULL, (unsigned)((ms) * 1e3 + 0.5) }

/* Returns the zone's handle for the functions in iprof_inline.h, and creates it on first use. If `zone` is NULL,
 * returns the handle of the zone "(unnamed)". */
IPROF_API const void *iprof_make_zone(iprof_zone *zone);

/* Counts an entry of a zone without measuring time. `made` is the result of iprof_make_zone; if it is NULL, nothing
 * happens. */
IPROF_API void iprof_count(const void *made);

IPROF_INLINE const void *iprof_made(iprof_zone *zone)
{
    const void *made = zone ? IPROF_LOAD(&zone->made) : NULL;
    return made ? made : iprof_make_zone(zone);
}

/* void iprof_zone_begin(iprof_zone *zone): opens a zone on this thread. NULL means the zone "(unnamed)". */
#ifdef __GNUC__
#define iprof_zone_begin(zone) __extension__({ IPROF_SITE iprof_here; iprof_begin(&iprof_here, iprof_made(zone)); })
#else
IPROF_INLINE void iprof_zone_begin(iprof_zone *zone) { iprof_begin(NULL, iprof_made(zone)); }
#endif

/* Closes the zone's innermost entry on this thread, together with any zones still open inside it. Does nothing if the
 * zone is not open. Both are mistakes: they are counted, and a warning in the report names the zone. */
IPROF_INLINE void iprof_zone_end(iprof_zone *zone) { iprof_end_of(iprof_made(zone)); }

/* Closes this thread's innermost open zone. */
IPROF_INLINE void iprof_end(void) { iprof_end_innermost(); }

/* Counts an entry of the zone without measuring time. Within the same caller, do not both enter and count a zone. */
IPROF_INLINE void iprof_zone_count(iprof_zone *zone) { iprof_count(iprof_made(zone)); }

/* Sets the maximum number of zones created at run time, which includes all zones defined in C. The default is 10,000.
 * Zones beyond the limit share the name "(other names)". */
IPROF_API void iprof_set_zone_limit(size_t limit);

/* ---- named values -------------------------------------------------------------------------------------------- */

/* A named value: a quantity in a unit of your own, such as bodies, triangles or bytes, that is summed up per call
 * stack. The report shows the sum and the time per unit. Make the value static, or keep it alive. Values with the
 * same name, unit and steps are the same value. Any number of threads may use a value at the same time.
 *
 *     static iprof_value bodies = IPROF_VALUE("bodies", "body");
 *     static iprof_value energy = IPROF_VALUE_IN_STEPS("energy", "J", 1000);
 *
 *     iprof_value_add(&bodies, count);
 *     iprof_value_add_double(&energy, 0.25); */
typedef struct iprof_value {
    const char *name; /* NULL or "" means "(unnamed)" */
    const char *unit; /* the name of one unit, or NULL for none */
    unsigned steps;   /* steps per unit; 0 means 1, for whole numbers */
    const void *made; /* used by iprof; initialize with NULL */
} iprof_value;

/* Initializers for a value. IPROF_VALUE is for whole numbers. With IPROF_VALUE_IN_STEPS, you can add doubles, which
 * are rounded to the nearest step. Sums are 64-bit numbers of steps, so they are exact and do not depend on the order
 * in which threads add. */
#define IPROF_VALUE(name, unit) { name, unit, 1, NULL }
#define IPROF_VALUE_IN_STEPS(name, unit, steps) { name, unit, steps, NULL }

/* Returns the value's handle for iprof_add, and creates it on first use. Returns NULL if `value` is NULL, or if the
 * limit set by iprof_set_zone_limit, which also applies to values, is reached. In the latter case, a warning in the
 * report names the first rejected value. */
IPROF_API const void *iprof_make_value(iprof_value *value);

IPROF_INLINE const void *iprof_made_value(iprof_value *value)
{
    const void *made = value ? IPROF_LOAD(&value->made) : NULL;
    return made ? made : iprof_make_value(value);
}

/* Converts units to steps, modulo 2^64. */
IPROF_INLINE uint64_t iprof_steps(const iprof_value *value, int64_t units)
{
    return (uint64_t)units * (value && value->steps ? value->steps : 1);
}

/* Converts units to the nearest number of steps that fits in 64 bits. NaN becomes 0. */
IPROF_INLINE uint64_t iprof_nearest_steps(const iprof_value *value, double units)
{
    double steps = units * (value && value->steps ? value->steps : 1);
    steps += steps < 0 ? -0.5 : 0.5;
    if (steps > -9223372036854775808.0 && steps < 9223372036854775808.0) return (uint64_t)(int64_t)steps;
    return steps > 0 ? (uint64_t)INT64_MAX : steps < 0 ? (uint64_t)INT64_MIN : 0;
}

/* void iprof_value_add(iprof_value *value, int64_t units)
 * void iprof_value_add_double(iprof_value *value, double units)
 * Add to a value in this thread's innermost open zone. `units` may be negative. Do nothing if `value` is NULL. */
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

/* Ends the frame. Pass true to record it, or false to discard it. Call this once per frame. */
IPROF_API void iprof_update(bool record);

/* Discards everything recorded so far. */
IPROF_API void iprof_reset(void);

/* Names the current frame, which the next iprof_update ends. */
IPROF_API iprof_error iprof_mark(const char *name);

/* Set how many frames are kept (1,024 by default), how many bytes they may use (0 for no limit), and how many of the
 * longest frames are kept in addition (16 by default). */
IPROF_API void iprof_set_history(size_t frames);
IPROF_API void iprof_set_history_memory(size_t bytes);
IPROF_API void iprof_set_longest_frames(size_t frames);

/* Sets the frame budget: the maximum time that a frame should take, in milliseconds. The default is 16.67, and the
 * maximum is an hour. The graph draws a line at the budget, and the action compare_slow_frames compares the frames
 * over budget with the rest. */
IPROF_API iprof_error iprof_set_frame_budget(double ms);

/* Sets a zone budget: the maximum time that zones with this name should take per frame, in milliseconds, from 0.001
 * to an hour. 0 removes the budget, including a budget set in the source code. You can set a budget before the zone
 * is first entered. The budget is compared with the zone's time on one thread, including its callees. Rows of zones
 * over their budget are drawn in red and have the flag IPROF_ROW_OVER_BUDGET. */
IPROF_API iprof_error iprof_set_zone_budget(const char *name, double ms);

/* Receives the number of a frame that took longer than the frame budget, its time, and the budget. Both times are in
 * milliseconds. */
typedef void (*iprof_slow_frame)(void *context, uint64_t number, double ms, double budget_ms);

/* Sets a function to call once per hitch: after the first of several consecutive frames over the frame budget, unless
 * the last call was less than `dead_time` seconds ago. iprof_update calls it, on the thread that ends the frame, and
 * it may call any function in this header. The callback replaces the previous one; NULL removes it. */
IPROF_API iprof_error iprof_on_slow_frame(iprof_slow_frame callback, void *context, double dead_time);

/* Detects stalls: if no frame ends for `timeout` seconds (at least 0.02), a background thread prints the open zones,
 * and how long they have been open, to stderr and appends them to `file`. A timeout of 0 turns stall detection off.
 * If `file` is NULL, the file from an earlier call, if any, is used. */
IPROF_API iprof_error iprof_set_stall_timeout(double timeout, const char *file);

/* ---- timing and threads -------------------------------------------------------------------------------------- */

/* Sets the timing mode: "exact", "sampled", "sampled:HZ", "auto", "auto:PERCENT" or "off". "auto" measures exactly,
 * but limits the overhead to that percentage of a thread's time. */
IPROF_API iprof_error iprof_set_timing(const char *timing);

/* Writes the timing mode to `buffer`, in the format of iprof_set_timing: at most size - 1 bytes and a terminating 0.
 * Returns the length of the whole string. `buffer` may be NULL. */
IPROF_API size_t iprof_timing(char *buffer, size_t size);

/* Set and return whether this thread's zones are recorded. */
IPROF_API void iprof_set_recording(bool record);
IPROF_API bool iprof_is_recording(void);

/* Register this thread before its first zone, so that it appears in reports from now on, and set its name. */
IPROF_API void iprof_register_thread(void);
IPROF_API iprof_error iprof_set_thread_name(const char *name);

/* ---- actions, keys, pointer ---------------------------------------------------------------------------------- */

/* Performs an action, as a key, a button or a menu item would, such as "select" or "move_cursor -1". Rows are counted
 * from 0.
 *
 * The actions:
 *     move_cursor ROWS, set_cursor ROW  the nearest row if it is out of range
 *     click_row ROW, toggle_row ROW  as the primary and the secondary mouse button would
 *     select, select_parent, select_zone NAME  callers and callees of a zone
 *     expand, collapse  the row under the cursor
 *     go_back, go_forward  through the visited zones
 *     set_report_mode MODE, next_report_mode  self-time, hierarchical-time, call-graph, call-graph-descendants, call-tree
 *     move_frame FRAMES, extend_range FRAMES  a negative number goes into the past
 *     set_frames FRAMES  "live", "longest", "back 3", a frame number, two numbers of a range, or "marked NAME"
 *     compare_slow_frames, move_band BANDS, move_bucket BUCKETS  the whole session by frame length and by time
 *     previous_spike, next_spike, previous_zone_spike, next_zone_spike, previous_mark, next_mark
 *     set_average AVERAGE, next_average  newest, fast (0.8 s), slow (2.5 s)
 *     set_recursion RECURSION, next_recursion  flatten, spread
 *     set_threads NAME, next_threads  the first thread with that name, or all threads if NAME is empty
 *     set_value NAME, next_value  the named value that has columns, or none if NAME is empty
 *     set_filter TEXT, edit_filter, end_filter, erase_filter, clear_filter
 *     next_baseline, set_baseline_to_shown_frame
 *     next_sort, reverse_sort, next_columns, next_min_share, toggle_grouping, toggle_idle, toggle_net_times
 *     scroll_graph FRAMES, zoom_graph FACTOR, next_graph_style
 *     scroll_graph_vertically MILLISECONDS, zoom_graph_vertically FACTOR
 *     toggle_flame, walk_flame STEP, zoom_flame, unzoom_flame  STEP is caller, callee, left or right
 *     next_theme, less_precision, more_precision, toggle_hidden, next_help_page, close_help
 *     toggle_pause, next_timing, mark, next_history_memory, next_longest_frames
 */
IPROF_API iprof_error iprof_act(const char *action);

enum { IPROF_SHIFT = 1, IPROF_CONTROL = 2, IPROF_ALT = 4, IPROF_META = 8 };

/* Handle a key press and typed text. Keys are named "F1", "Tab", "ArrowUp", "a" and so on; the help, opened with F1,
 * lists the default keys. `modifiers` is a sum of the constants above. Return whether the input was used; if so, your
 * program should ignore it. Always return false for NULL. */
IPROF_API bool iprof_key(const char *key, unsigned modifiers);
IPROF_API bool iprof_text(const char *typed);

/* Binds a key with modifiers to an action, replacing the previous binding. If `action` is NULL, removes the binding.
 * `key` is case-insensitive. A physical key such as "KeyS" matches if your program passes physical keys to iprof_key.
 * The actions set_recursion, set_threads, set_value and set_filter cannot be bound. */
IPROF_API iprof_error iprof_bind_key(const char *key, unsigned modifiers, const char *action);

/* Handle pointer events, in pixels from the top left corner of the viewport, y pointing down. Button 0 selects,
 * button 1 expands and collapses rows. `lines` is positive if the wheel is turned away from the user. Return whether
 * the overlay used the event. */
IPROF_API bool iprof_pointer_moved(float x, float y);
IPROF_API bool iprof_pointer_left(void);
IPROF_API bool iprof_pointer_button(int button, bool down);
IPROF_API bool iprof_pointer_wheel(float lines, bool zoom);

enum {
    IPROF_TOUCH_STARTED = 0,
    IPROF_TOUCH_MOVED = 1,
    IPROF_TOUCH_ENDED = 2,
    IPROF_TOUCH_CANCELLED = 3 /* the system took over the touch for a gesture */
};

/* Handles a finger on a touch screen, in the same coordinates as the pointer. A tap selects, a drag moves the cursor
 * or scrolls the graph, and two fingers zoom the graph. `finger` tells apart fingers that are down at the same time.
 * Unknown phases and positions that are not finite are ignored. Returns whether the overlay used the event. */
IPROF_API bool iprof_touch(uint64_t finger, int phase, float x, float y);

/* Return whether the user has paused profiling or hidden the overlay. Pass !iprof_is_paused() to iprof_update, and
 * draw nothing while the overlay is hidden. */
IPROF_API bool iprof_is_paused(void);
IPROF_API bool iprof_is_hidden(void);

/* ---- the report, text and files ------------------------------------------------------------------------------ */

enum {
    IPROF_ROW_CURSOR = 1,      /* the cursor is on this row */
    IPROF_ROW_IDLE = 2,        /* the program waits in the zone */
    IPROF_ROW_COUNTER = 4,     /* the zone is only counted and has no times */
    IPROF_ROW_OWN = 8,         /* the zone is one of iprof's own */
    IPROF_ROW_OVER_BUDGET = 16 /* the zone is over its budget on a visible thread, in the shown frame or on average */
};

/* A row of the report. Numbers that the row or the report lacks are NaN. */
typedef struct iprof_row {
    const char *name;
    const char *file; /* source location; NULL if unknown */
    unsigned line;
    unsigned indent;
    unsigned flags;
    float heat; /* how much the main time fluctuates, from 0 to 1 */
    double self_ms, hierarchical_ms, count;
    double gpu_ms;
    double value; /* the sum of the shown named value, in its unit */
    char marker;  /* '+' can be expanded, '-' is expanded, ' ' is a leaf */
} iprof_row;

/* Receives a row. The pointer is valid until the function returns. */
typedef void (*iprof_each_row)(void *context, const iprof_row *row);

/* Calls `each` for each row of the report, from top to bottom. */
IPROF_API iprof_error iprof_report_rows(iprof_each_row each, void *context);

/* Receives bytes, which are not terminated by a 0. Returns 0 to continue. After any other result, the writing
 * function returns IPROF_ERROR_IO. */
typedef int (*iprof_write)(void *context, const char *bytes, size_t length);

/* Writes to a FILE *, as in iprof_write_report(iprof_to_file, stdout). */
IPROF_INLINE int iprof_to_file(void *file, const char *bytes, size_t length)
{
    return file && fwrite(bytes, 1, length, (FILE *)file) == length ? 0 : 1;
}

/* Writes the report as text, including its title and warnings. */
IPROF_API iprof_error iprof_write_report(iprof_write write, void *context);

/* Writes everything recorded on all threads since the start or since iprof_reset to a file, and replaces an existing
 * file. The format depends on the extension: .txt .cycles.txt .folded .callgrind .gprof .html .pb.gz .speedscope.json
 * .trace.json .json .csv */
IPROF_API iprof_error iprof_write_file(const char *path);

/* Writes the same data through a function. The format is "tree", "tree-in-cycles", "folded", "callgrind", "gprof",
 * "html", "pprof", "speedscope", "trace-events", "trace-events-gzip", "json" or "csv". */
IPROF_API iprof_error iprof_write_profile(const char *format, iprof_write write, void *context);

/* ---- the overlay --------------------------------------------------------------------------------------------- */

/* Returns the address of an OpenGL function, or NULL. Pass SDL_GL_GetProcAddress, or glfwGetProcAddress with a cast. */
typedef void *(*iprof_gl_loader)(const char *name);

/* Creates or replaces this thread's overlay in the context that is current on this thread: OpenGL 2.1, OpenGL ES 2.0,
 * or later. The context must also be current whenever you call one of the functions below. */
IPROF_API iprof_error iprof_gl_init(iprof_gl_loader loader);

/* Destroys this thread's overlay and deletes its objects in the context. Does nothing without an overlay. */
IPROF_API void iprof_gl_destroy(void);

/* Draws the report into a rectangle, in pixels from the top left corner of the viewport. Times have `precision`
 * decimal places, 1 to 4. Your GL state is restored. Does nothing without an overlay. */
IPROF_API void iprof_draw_gl(float x, float y, float w, float h, int precision);

/* Draws the graph: a bar for each frame, x_spacing pixels wide and y_spacing pixels high per millisecond. (x, y) is
 * the top left corner. */
IPROF_API void iprof_draw_graph_gl(float x, float y, float x_spacing, float y_spacing);

/* Draws everything that keys control into a rectangle, usually the window minus a margin: the report in the upper
 * left corner, the graph at the bottom, the help or a hint on how to open it, and the tooltip. Draws nothing while
 * the overlay is hidden. */
IPROF_API void iprof_draw_controls_gl(float x, float y, float w, float h);

/* Draw the help into the report's rectangle, and the tooltip. If you place the report and the graph yourself, call
 * these two functions last, in this order. */
IPROF_API void iprof_draw_help_gl(float x, float y, float w, float h);
IPROF_API void iprof_draw_tooltip_gl(void);

/* Sets the scale factor for all sizes, for example 2 on a high-density screen. */
IPROF_API iprof_error iprof_set_scale(float scale);

/* Sets the color theme: "dark", "light" or "color-blind". */
IPROF_API iprof_error iprof_set_theme(const char *name);

/* Sets a TrueType or OpenType font. The bytes are copied. */
IPROF_API iprof_error iprof_set_font(const void *bytes, size_t length);

/* ---- a renderer of your own ---------------------------------------------------------------------------------- */

/* Draw the overlay as triangles, for Vulkan, Direct3D, Metal or a software renderer. Each frame, on the drawing
 * thread, call iprof_drawing_begin with the target's size in pixels, add parts from bottom to top, and draw the
 * triangles that iprof_drawing_data returns. Keys, the pointer, iprof_set_scale and so on work as they do with
 * OpenGL. */
IPROF_API iprof_error iprof_drawing_begin(float w, float h);
IPROF_API void iprof_draw_report(float x, float y, float w, float h, int precision);
IPROF_API void iprof_draw_graph(float x, float y, float x_spacing, float y_spacing);
IPROF_API void iprof_draw_controls(float x, float y, float w, float h);

typedef struct iprof_vertex {
    float x, y;       /* pixels from the top left corner, y pointing down */
    uint16_t u, v;    /* position in the atlas; 65535 is its right or bottom edge */
    uint8_t color[4]; /* red, green, blue, opacity; not premultiplied */
} iprof_vertex;

/* A drawing. Each group of four vertices forms two triangles, 0 1 2 and 0 2 3. Draw them in order. A pixel's opacity
 * is the color's opacity times the value in the atlas, a single-channel texture that is sampled at the nearest
 * texel. */
typedef struct iprof_drawing {
    const iprof_vertex *vertices;
    size_t vertex_count;
    uint64_t atlas_version; /* pass this to the next call of iprof_drawing_data */
    unsigned atlas_width, atlas_height;
    unsigned x, y, width, height; /* the part of the atlas to upload before drawing */
    const uint8_t *pixels;        /* the pixels of that part, row by row without gaps; NULL if nothing changed */
} iprof_drawing;

/* Fills `drawing` with everything drawn since iprof_drawing_begin. `version` is the atlas version that you have
 * uploaded, or 0 for none. The pointers are valid until this thread's next call to one of these functions. */
IPROF_API iprof_error iprof_drawing_data(uint64_t version, iprof_drawing *drawing);

/* Frees this thread's drawing and its overlay. */
IPROF_API void iprof_drawing_destroy(void);

/* ---- the GPU ------------------------------------------------------------------------------------------------- */

/* Open and close a zone both on the CPU and, for the OpenGL commands in between, on the GPU. The report then has a
 * column with GPU times, which become available a few frames later. Without an OpenGL overlay, the zone is measured
 * only on the CPU. `made` is the result of iprof_make_zone. Close the zone with iprof_gpu_end, on the same thread;
 * this also closes GPU zones that are still open inside it. */
IPROF_API void iprof_gpu_begin(const void *made);
IPROF_API void iprof_gpu_end(const void *made);
IPROF_INLINE void iprof_gpu_zone_begin(iprof_zone *zone) { iprof_gpu_begin(iprof_made(zone)); }
IPROF_INLINE void iprof_gpu_zone_end(iprof_zone *zone) { iprof_gpu_end(iprof_made(zone)); }

/* GPU zones whose times your program measures itself, for example with Vulkan, Direct3D or Metal. A timeline
 * represents one queue; only one thread at a time may submit commands to it. When you free a timeline, its unfinished
 * zones get no times. Freeing NULL does nothing. */
typedef struct iprof_gpu_timeline iprof_gpu_timeline;
IPROF_API iprof_gpu_timeline *iprof_gpu_timeline_new(void);
IPROF_API void iprof_gpu_timeline_free(iprof_gpu_timeline *timeline);

/* Begins a zone on the GPU. It has the name of this thread's innermost open zone, and is nested in the timeline's
 * innermost open zone. Returns the zone's number, or 0 if the zone is not recorded because no zone is open, recording
 * is off, 65,536 zones are unfinished, or `timeline` is NULL. Zone 0 needs no times, and the functions below ignore
 * it. */
IPROF_API uint64_t iprof_gpu_timeline_begin(const iprof_gpu_timeline *timeline);

/* Ends a zone where its commands end, together with any open zones inside it. Ending a zone twice is harmless. */
IPROF_API iprof_error iprof_gpu_timeline_end(const iprof_gpu_timeline *timeline, uint64_t zone);

/* Finishes a zone, in any later frame, after the zones nested in it. `ns` points to the GPU times of its begin and
 * end, in nanoseconds on the same clock, or is NULL if they are not known. Finish every zone: a frame's times are
 * shown once all of its zones are finished. A time that is negative or longer than the time since the zone began is
 * not shown, and the report warns about it. Returns IPROF_ERROR_NOT_FOUND if the zone is already finished. */
IPROF_API iprof_error iprof_gpu_timeline_finish(const iprof_gpu_timeline *timeline, uint64_t zone, const uint64_t *ns);

#ifdef __cplusplus
} /* extern "C" */

namespace iprof {
/* Measures from its construction to the end of the enclosing scope. */
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

/* Like scope, but uses iprof_gpu_zone_begin and iprof_gpu_zone_end. */
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

/* IPROF_SCOPE("name");                measures to the end of the scope
 * IPROF_FUNCTION();                   does the same, named after the function
 * IPROF_SCOPE_BUDGET("name", ms);     does the same with a zone budget
 * IPROF_GPU_SCOPE("name");            does the same on the CPU and the GPU
 * IPROF_COUNTER("name");              counts how many times it is reached
 * IPROF_ADD("bodies", "body", count); adds a whole number to a named value
 *
 * With IPROF_DISABLED, all of these do nothing. */
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
