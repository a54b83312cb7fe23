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
 * Rules. Any function may be called from any thread, at any time: before the first frame, in a destructor of a
 * thread, in a function of atexit. Texts are UTF-8; other bytes become U+FFFD. A text passed in is copied. Functions
 * that return iprof_error return IPROF_OK or a code, and iprof_error_message() then says what is wrong; they change
 * nothing when they fail. No call raises an exception. A signal handler may enter and leave zones, and nothing else.
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
    IPROF_ERROR_NULL = 1,       /* a pointer that must not be NULL is */
    IPROF_ERROR_VALUE = 2,      /* a number, a name or a text means nothing */
    IPROF_ERROR_NOT_FOUND = 3,  /* there is no such zone, thread or frame */
    IPROF_ERROR_NO_OVERLAY = 4, /* this thread has no overlay: iprof_gl_init or iprof_drawing_begin makes one */
    IPROF_ERROR_GL = 5,         /* no context, one that is too old, or one that lacks something */
    IPROF_ERROR_IO = 6,         /* the file system or a function that writes reported an error */
    IPROF_ERROR_INTERNAL = 7,   /* a defect of iprof */
    IPROF_ERROR_BUSY = 8        /* a sampling session is in progress, or the system starts no thread for it */
} iprof_error;

/* What this thread's last failed call complained of; "" if none failed. Valid until the next one fails on this thread. */
IPROF_API const char *iprof_error_message(void);

/* ---- zones --------------------------------------------------------------------------------------------------- */

/* A zone: a static, or anything else that stays while the zone is open. Zones of the same name, file, line, flags and budget are
 * one. All threads may use it at once. */
typedef struct iprof_zone {
    const char *name; /* NULL or "": the zone "(unnamed)" */
    const char *file; /* NULL: no place is shown */
    unsigned line;    /* from 1 */
    unsigned flags;   /* 0 or IPROF_ZONE_IDLE */
    const void *made; /* iprof's own; NULL to begin with */
    unsigned budget;  /* the longest that it should take in a frame, in microseconds, up to an hour; 0: no such limit */
} iprof_zone;

enum {
    IPROF_ZONE_IDLE = 1 /* the program only waits in this zone */
};

/* Initializes a zone that is declared here; one in which the program only waits; one with a budget in milliseconds, a
 * constant: see iprof_set_zone_budget. */
#define IPROF_ZONE(name) { name, __FILE__, __LINE__, 0, NULL, 0 }
#define IPROF_ZONE_WAIT(name) { name, __FILE__, __LINE__, IPROF_ZONE_IDLE, NULL, 0 }
#define IPROF_ZONE_BUDGET(name, ms) { name, __FILE__, __LINE__, 0, NULL, (unsigned)((ms) * 1e3 + 0.5) }

/* The zone as what the functions of iprof_inline.h take; it is made if need be. NULL only in case of a defect. */
IPROF_API const void *iprof_make_zone(iprof_zone *zone);

/* One more entry of a zone that iprof_make_zone returned, without a time; of NULL, nothing. */
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

/* Closes the zone's innermost opening on this thread, and those that are open above it. If it is not open, nothing is
 * closed. Either fault is counted, and a warning of the report names the zone. */
IPROF_INLINE void iprof_zone_end(iprof_zone *zone) { iprof_end_of(iprof_made(zone)); }

/* Closes this thread's innermost open zone, whichever it is. */
IPROF_INLINE void iprof_end(void) { iprof_end_innermost(); }

/* Counts an entry without measuring time. Below one caller a zone is either entered or counted. */
IPROF_INLINE void iprof_zone_count(iprof_zone *zone) { iprof_count(iprof_made(zone)); }

/* How many zones C and other run-time code may make, 10,000 by default; further names share "(other names)". */
IPROF_API void iprof_set_zone_limit(size_t limit);

/* ---- named values -------------------------------------------------------------------------------------------- */

/* A number in a unit of your own, such as bodies, triangles or bytes, that is added up by call stack: reports have its sum, and
 * the time per unit. A static, or anything else that stays. Values of the same name, unit and steps are one, in all files.
 * All threads may use it at once.
 *
 *     static iprof_value bodies = IPROF_VALUE("bodies", "body");
 *     static iprof_value energy = IPROF_VALUE_IN_STEPS("energy", "J", 1000);
 *
 *     iprof_value_add(&bodies, count);
 *     iprof_value_add_double(&energy, 0.25); */
typedef struct iprof_value {
    const char *name; /* NULL or "": "(unnamed)" */
    const char *unit; /* the name of one unit; NULL: none */
    unsigned steps;   /* a unit has so many; 0 is 1, for whole numbers */
    const void *made; /* iprof's own; NULL to begin with */
} iprof_value;

/* Initializes a value of whole numbers; and one that is added to in doubles, each rounded to the nearest step. Sums are whole
 * numbers of steps, of 64 bits: exact, and the same in whatever order threads add. */
#define IPROF_VALUE(name, unit) { name, unit, 1, NULL }
#define IPROF_VALUE_IN_STEPS(name, unit, steps) { name, unit, steps, NULL }

/* The value as what iprof_add takes; it is made if need be. NULL, to which nothing can be added, for a NULL value and beyond the
 * limit of zones, among which values count; a warning of the report then names the first. */
IPROF_API const void *iprof_make_value(iprof_value *value);

IPROF_INLINE const void *iprof_made_value(iprof_value *value)
{
    const void *made = value ? IPROF_LOAD(&value->made) : NULL;
    return made ? made : iprof_make_value(value);
}

/* So many units in steps, modulo 2^64. */
IPROF_INLINE uint64_t iprof_steps(const iprof_value *value, int64_t units)
{
    return (uint64_t)units * (value && value->steps ? value->steps : 1);
}

/* The nearest number of steps; 0 for NaN, and the largest or least of 64 bits for what lies beyond. */
IPROF_INLINE uint64_t iprof_nearest_steps(const iprof_value *value, double units)
{
    double steps = units * (value && value->steps ? value->steps : 1);
    steps += steps < 0 ? -0.5 : 0.5;
    if (steps > -9223372036854775808.0 && steps < 9223372036854775808.0) return (uint64_t)(int64_t)steps;
    return steps > 0 ? (uint64_t)INT64_MAX : steps < 0 ? (uint64_t)INT64_MIN : 0;
}

/* void iprof_value_add(iprof_value *value, int64_t units), void iprof_value_add_double(iprof_value *value, double units): add
 * to a value at the zone that is open on this thread. The number may be negative. To NULL nothing is added. */
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

/* The values that were added to before the last iprof_update, each name once, and the name and unit of one, from 0 on, written
 * as iprof_timing writes. */
IPROF_API size_t iprof_value_count(void);
IPROF_API size_t iprof_value_name(size_t at, char *buffer, size_t size);
IPROF_API size_t iprof_value_unit(size_t at, char *buffer, size_t size);

/* ---- frames -------------------------------------------------------------------------------------------------- */

/* Ends the frame: records it, or with false throws it away and leaves what is shown as it is. Call it once a frame. */
IPROF_API void iprof_update(bool record);

/* Forgets all that was recorded. */
IPROF_API void iprof_reset(void);

/* Gives the frame that ends next a name. */
IPROF_API iprof_error iprof_mark(const char *name);

/* How many frames are remembered, 1,024 by default; in how many bytes at most, 0 for any number; and how many of the
 * longest are kept beyond that, 16 by default. Returned are the bytes that remembered frames take now, without the allocator's
 * overhead; 0 before the first frame. */
IPROF_API void iprof_set_history(size_t frames);
IPROF_API void iprof_set_history_memory(size_t bytes);
IPROF_API void iprof_set_longest_frames(size_t frames);
IPROF_API size_t iprof_history_bytes(void);

/* The longest that a frame should take, in milliseconds, 16.67 by default, up to an hour: the graph has a line at it, and
 * IPROF_ACTION_COMPARE_SLOW_FRAMES compares the frames over it with the rest. */
IPROF_API iprof_error iprof_set_frame_budget(double ms);
IPROF_API double iprof_frame_budget(void);

/* The longest that the zones of a name should take in a frame, in milliseconds, from 0.001 up to an hour; 0 takes the budget away,
 * also one that stands in the code. The zones may be entered later. What counts is a zone's time with all that it calls, on one
 * thread. Rows of zones over their budget are red, and have IPROF_ROW_OVER_BUDGET. */
IPROF_API iprof_error iprof_set_zone_budget(const char *name, double ms);

typedef struct iprof_budget {
    double limit_ms;
    uint64_t frames; /* recorded since the limit was set, or since iprof_reset, ... */
    uint64_t misses; /* ... and those of them that took longer: of a zone, on at least one thread */
} iprof_budget;

/* The zones that were entered and have a budget: how many; the name of one, from 0 on, written as iprof_timing writes; and its
 * budget, IPROF_ERROR_NOT_FOUND beyond the last. And the frame budget with its misses. */
IPROF_API size_t iprof_zone_budget_count(void);
IPROF_API size_t iprof_zone_budget_name(size_t at, char *buffer, size_t size);
IPROF_API iprof_error iprof_zone_budget(size_t at, iprof_budget *budget);
IPROF_API iprof_error iprof_missed_frames(iprof_budget *budget);

/* The limits of the bands of frame length in which the whole session is summed, 7 numbers in milliseconds; NULL for the
 * default, 0.5, 1, 1.5, 2, 3, 4 and 8 times the frame budget. Call it early: other limits empty all bands. */
IPROF_API iprof_error iprof_set_session_bands(const double *limits_ms);

/* Called after a frame that took longer than the budget, with its number and both times in milliseconds. */
typedef void (*iprof_slow_frame)(void *context, uint64_t number, double ms, double budget_ms);

/* Has the function called once a hitch: after the first frame in a row that is over the budget, unless the last call was less
 * than so many seconds ago. It is called by iprof_update, on its thread, and may call everything here. It replaces the
 * function before; NULL is none. */
IPROF_API iprof_error iprof_on_slow_frame(iprof_slow_frame callback, void *context, double dead_time);

/* If no frame ends for so many seconds, at least 0.02, a thread of iprof's own writes which zones are open, and for how long,
 * to stderr and to the file. 0 turns it off; NULL is no file. */
IPROF_API iprof_error iprof_set_stall_timeout(double seconds);
IPROF_API iprof_error iprof_set_stall_file(const char *path);

/* The last stall as text, "" before the first, written as iprof_timing writes. */
IPROF_API size_t iprof_last_stall(char *buffer, size_t size);

/* ---- timing and threads -------------------------------------------------------------------------------------- */

/* "exact"; "sampled" or "sampled:HZ"; "auto" or "auto:PERCENT", exact times that cost at most so much; or "off". */
IPROF_API iprof_error iprof_set_timing(const char *timing);

/* Writes the timing mode as such a text of at most size - 1 bytes and a 0; returns the length of all of it. The buffer
 * may be NULL. */
IPROF_API size_t iprof_timing(char *buffer, size_t size);

/* Whether this thread's zones are recorded. */
IPROF_API void iprof_set_recording(bool record);
IPROF_API bool iprof_is_recording(void);

/* A thread appears in reports from its first zone on, or from this call. */
IPROF_API void iprof_register_thread(void);
IPROF_API iprof_error iprof_set_thread_name(const char *name);

/* The threads that reports show, and the name of one, from 0 on, written as iprof_timing writes. */
IPROF_API size_t iprof_thread_count(void);
IPROF_API size_t iprof_thread_name(size_t at, char *buffer, size_t size);

/* ---- sampling sessions --------------------------------------------------------------------------------------- */

typedef struct iprof_sampled_row {
    const char *name; /* "self": of the row above with a smaller depth, samples in none of its callees */
    uint64_t samples; /* with those of callees */
    unsigned depth;   /* 0 at the top */
    bool is_self;
} iprof_sampled_row;

/* A tree of zones, all threads together: each row is followed by its callees. */
typedef struct iprof_sampled {
    size_t threads;
    uint64_t samples;
    const iprof_sampled_row *rows;
    size_t row_count;
} iprof_sampled;

/* Begins to read the current zones of every thread, so often a second on average, from 1 to 10,000; whatever the timing is.
 * There is one session at a time. */
IPROF_API iprof_error iprof_sampling_start(double hz);

/* Ends the session. Free its profile. NULL without a session. */
IPROF_API const iprof_sampled *iprof_sampling_finish(void);
IPROF_API void iprof_sampled_free(const iprof_sampled *sampled);

/* ---- what is shown ------------------------------------------------------------------------------------------- */

/* Functions of this section, iprof_act, the report as data and as text, iprof_draw_gl and iprof_draw_graph_gl are about the
 * program's default view, or about the view that this thread uses: one of your own, or NULL for the default one. A view
 * may be freed while it is used; threads may use one at once. Keys and the pointer go to the default view. */
typedef struct iprof_view iprof_view;
IPROF_API const iprof_view *iprof_view_new(void);
IPROF_API void iprof_view_free(const iprof_view *view);
IPROF_API void iprof_view_use(const iprof_view *view);

typedef enum iprof_report_mode {
    IPROF_SELF_TIME = 0,
    IPROF_HIERARCHICAL_TIME = 1,
    IPROF_CALL_GRAPH = 2,             /* callers and callees of the selected zone */
    IPROF_CALL_GRAPH_DESCENDANTS = 3, /* the same, with everything below it */
    IPROF_CALL_TREE = 4
} iprof_report_mode;

/* What the rows of the report are. A number that is none of these is IPROF_ERROR_VALUE. */
IPROF_API iprof_error iprof_set_report_mode(iprof_report_mode mode);

/* Rows count from 0; a position out of range is the nearest row. */
IPROF_API void iprof_move_cursor(int rows);
IPROF_API void iprof_set_cursor(int row);

/* To the call graph of the zone under the cursor; to its most expensive caller; to a zone by name. */
IPROF_API void iprof_select(void);
IPROF_API void iprof_select_parent(void);
IPROF_API iprof_error iprof_select_zone(const char *name);

/* Negative is into the past. 0 is the live view, 1 the newest frame before it, and so on. By their numbers, which count
 * from the program's begin: the frames from first to last, averaged. */
IPROF_API void iprof_move_frame(int frames);
IPROF_API void iprof_set_frame(int back);
IPROF_API iprof_error iprof_show_frames(uint64_t first, uint64_t last);

typedef enum iprof_frame_set_kind {
    IPROF_ALL_FRAMES = 0,
    IPROF_LONGER_THAN = 1,     /* from: milliseconds */
    IPROF_BETWEEN = 2,         /* longer than from, and up to to: milliseconds */
    IPROF_SLOWEST = 3,         /* from: how many */
    IPROF_SLOWEST_PERCENT = 4, /* from: 0 to 100 */
    IPROF_MARKED = 5,          /* name: of the mark */
    IPROF_FRAME_NUMBERS = 6,   /* from, to: numbers of frames, both included */
    IPROF_SESSION_BANDS = 7,   /* from, to: bands of frame length of the whole session, 0 to 7, both included */
    IPROF_SESSION_TIME = 8,    /* from, to: seconds of the whole session, since the first zone */
    IPROF_SESSION_SLOWEST_PERCENT = 9, /* from: 0 to 100; the slowest bands that hold at least so many of the frames */
    IPROF_SESSION_ALL = 10
} iprof_frame_set_kind;

/* A set of remembered frames, or a part of the whole session. */
typedef struct iprof_frame_set {
    iprof_frame_set_kind kind;
    bool is_complement; /* all remembered frames but these, or the rest of the session */
    double from, to;
    const char *name;
} iprof_frame_set;

/* Shows the mean of a set's frames. It is empty where none is so: then all values are 0. */
IPROF_API iprof_error iprof_show_set(const iprof_frame_set *set);

typedef enum iprof_baseline {
    IPROF_NO_BASELINE = 0,
    IPROF_BASELINE_AVERAGE = 1, /* of the frames around the one that is shown */
    IPROF_BASELINE_MEDIAN = 2,
    IPROF_BASELINE_REST = 3, /* of all frames that are not shown */
    IPROF_BASELINE_FRAME = 4 /* the frame of that number */
} iprof_baseline;

/* What is compared with; `frame` is for IPROF_BASELINE_FRAME. Or the mean of a set. */
IPROF_API iprof_error iprof_set_baseline(iprof_baseline baseline, uint64_t frame);
IPROF_API iprof_error iprof_set_baseline_set(const iprof_frame_set *set);

/* 0: the newest frame; 1: an average that follows 90 % of a step within 0.8 s; 2: within 2.5 s. */
IPROF_API iprof_error iprof_set_average(int average);

typedef enum iprof_recursion {
    IPROF_FLATTEN_RECURSION = 0, /* a recursive zone is one row */
    IPROF_SPREAD_RECURSION = 1   /* each depth is a row */
} iprof_recursion;

/* How many rows a recursive zone has. A number that is none of these is IPROF_ERROR_VALUE. */
IPROF_API iprof_error iprof_set_recursion(iprof_recursion recursion);

/* One thread by its name, or all for NULL. The group of a thread of that name: all threads whose names differ from it at most
 * in a number at the end, as in "worker-3", zone by zone. The thread of the frames, which calls iprof_update. */
IPROF_API iprof_error iprof_show_thread(const char *name);
IPROF_API iprof_error iprof_show_thread_group(const char *name);
IPROF_API void iprof_show_frame_thread(void);

/* Rows with that text in their names; NULL or "" for all. Rows below that share of the frame, from 0 to 1, are folded. */
IPROF_API void iprof_set_filter(const char *text);
IPROF_API void iprof_set_min_share(double share);

/* Of which value reports have columns and the graph a line, by its name: NULL for the one that was added to first, as in the
 * beginning; "" for none. A name to which nothing was added has no columns yet. Which it is, is written as iprof_timing writes. */
IPROF_API void iprof_show_value(const char *name);
IPROF_API size_t iprof_shown_value(char *buffer, size_t size);

/* Rows that stand for zones of one prefix; idle zones ranked among the others; times less what zones cost. */
IPROF_API void iprof_set_grouping(bool is_on);
IPROF_API void iprof_set_idle_ranked(bool is_on);
IPROF_API void iprof_set_net_times(bool is_on);

/* How often a second numbers on the screen change, of all views; 0: each frame; 10 by default. */
IPROF_API void iprof_set_refresh_rate(float hz);

/* ---- actions, keys, pointer ---------------------------------------------------------------------------------- */

/* What a key, a button or a menu does. Those with a value say which. */
typedef enum iprof_action {
    IPROF_ACTION_MOVE_CURSOR = 1, /* rows */
    IPROF_ACTION_SET_CURSOR = 2,  /* row */
    IPROF_ACTION_CLICK_ROW = 3,   /* row */
    IPROF_ACTION_TOGGLE_ROW = 4,  /* row */
    IPROF_ACTION_SELECT = 5,
    IPROF_ACTION_SELECT_PARENT = 6,
    IPROF_ACTION_EXPAND = 7,
    IPROF_ACTION_COLLAPSE = 8,
    IPROF_ACTION_GO_BACK = 9,
    IPROF_ACTION_GO_FORWARD = 10,
    IPROF_ACTION_MOVE_FRAME = 11,   /* frames */
    IPROF_ACTION_EXTEND_RANGE = 12, /* frames */
    IPROF_ACTION_PREVIOUS_SPIKE = 13,
    IPROF_ACTION_NEXT_SPIKE = 14,
    IPROF_ACTION_PREVIOUS_ZONE_SPIKE = 15,
    IPROF_ACTION_NEXT_ZONE_SPIKE = 16,
    IPROF_ACTION_PREVIOUS_MARK = 17,
    IPROF_ACTION_NEXT_MARK = 18,
    IPROF_ACTION_SCROLL_GRAPH = 19,            /* frames */
    IPROF_ACTION_ZOOM_GRAPH = 20,              /* factor */
    IPROF_ACTION_ZOOM_GRAPH_VERTICALLY = 21,   /* factor */
    IPROF_ACTION_SCROLL_GRAPH_VERTICALLY = 22, /* milliseconds */
    IPROF_ACTION_NEXT_GRAPH_STYLE = 23,
    IPROF_ACTION_NEXT_THEME = 24,
    IPROF_ACTION_NEXT_REPORT_MODE = 25,
    IPROF_ACTION_NEXT_AVERAGE = 26,
    IPROF_ACTION_NEXT_RECURSION = 27,
    IPROF_ACTION_NEXT_THREADS = 28,
    IPROF_ACTION_NEXT_BASELINE = 29,
    IPROF_ACTION_SET_BASELINE_TO_SHOWN_FRAME = 30,
    IPROF_ACTION_NEXT_SORT = 31,
    IPROF_ACTION_REVERSE_SORT = 32,
    IPROF_ACTION_NEXT_MIN_SHARE = 33,
    IPROF_ACTION_TOGGLE_GROUPING = 34,
    IPROF_ACTION_TOGGLE_IDLE = 35,
    IPROF_ACTION_TOGGLE_NET_TIMES = 36,
    IPROF_ACTION_ERASE_FILTER = 37,
    IPROF_ACTION_CLEAR_FILTER = 38,
    IPROF_ACTION_EDIT_FILTER = 39,
    IPROF_ACTION_END_FILTER = 40,
    IPROF_ACTION_NEXT_TIMING = 41,
    IPROF_ACTION_MARK = 42,
    IPROF_ACTION_NEXT_HISTORY_MEMORY = 43,
    IPROF_ACTION_NEXT_LONGEST_FRAMES = 44,
    IPROF_ACTION_TOGGLE_PAUSE = 45,
    IPROF_ACTION_TOGGLE_HIDDEN = 46,
    IPROF_ACTION_NEXT_HELP_PAGE = 47,
    IPROF_ACTION_CLOSE_HELP = 48,
    IPROF_ACTION_LESS_PRECISION = 49,
    IPROF_ACTION_MORE_PRECISION = 50,
    IPROF_ACTION_COMPARE_SLOW_FRAMES = 51,
    IPROF_ACTION_TOGGLE_FLAME = 52,
    IPROF_ACTION_WALK_FLAME = 53, /* to the caller 0, the callee 1, left 2, right 3 */
    IPROF_ACTION_ZOOM_FLAME = 54,
    IPROF_ACTION_UNZOOM_FLAME = 55,
    IPROF_ACTION_NEXT_COLUMNS = 56,
    IPROF_ACTION_MOVE_BAND = 57,  /* to slower frames of the session, or to faster ones if negative */
    IPROF_ACTION_MOVE_BUCKET = 58, /* to a later time of the session, or to an earlier one if negative */
    IPROF_ACTION_NEXT_VALUE = 59,
    IPROF_ACTION_SET_AVERAGE = 60,     /* as for iprof_set_average */
    IPROF_ACTION_SET_REPORT_MODE = 61, /* an iprof_report_mode */
    IPROF_ACTION_SHOW_LIVE = 62,
    IPROF_ACTION_SHOW_LONGEST_FRAME = 63
} iprof_action;

/* A value is cut to what there is, as rows, and to whole numbers unless it is a factor or a distance; of one that chooses, as in
 * IPROF_ACTION_WALK_FLAME, others are IPROF_ERROR_VALUE, and so is NaN. */
IPROF_API iprof_error iprof_act(iprof_action action, double value);

/* The same by its name, in lower case and without IPROF_ACTION_, and a number: "select", "move_cursor -1". */
IPROF_API iprof_error iprof_act_text(const char *action);

enum { IPROF_SHIFT = 1, IPROF_CONTROL = 2, IPROF_ALT = 4, IPROF_META = 8 };

/* A pressed key by its name, such as "F1", "Tab", "ArrowUp" or "a", and typed text. Each returns whether it was used;
 * then the program should ignore it. NULL is not used. The help, on F1, lists the keys. */
IPROF_API bool iprof_key(const char *key, unsigned modifiers);
IPROF_API bool iprof_text(const char *typed);

/* Binds a key with modifiers, a sum of those above, to an action; what it was bound to before is so no longer. A key is named as
 * for iprof_key; by its position, such as "KeyS", it is found where the program passes positions. Letters are those of both cases.
 * "" and modifiers that there are not are IPROF_ERROR_VALUE. */
IPROF_API iprof_error iprof_bind_key(const char *key, unsigned modifiers, iprof_action action, double value);

/* Takes the key's action away, if it has one. */
IPROF_API iprof_error iprof_unbind_key(const char *key, unsigned modifiers);

/* Binds the keys as in the beginning, or with false no key. What iprof_describe_own_key added is gone. */
IPROF_API void iprof_reset_keys(bool has_defaults);

/* Adds a line to the help about keys of the program's own. It binds nothing. */
IPROF_API iprof_error iprof_describe_own_key(const char *keys, const char *meaning);

/* The first key of an action, as menus write it, "" if it has none; written as iprof_timing writes. */
IPROF_API size_t iprof_key_of(iprof_action action, double value, char *buffer, size_t size);

/* The bound keys as people read them, for a help of your own: how many lines; of one, from 0 on, its keys and what they do,
 * written as iprof_timing writes. */
IPROF_API size_t iprof_key_line_count(void);
IPROF_API size_t iprof_key_line_keys(size_t at, char *buffer, size_t size);
IPROF_API size_t iprof_key_line_meaning(size_t at, char *buffer, size_t size);

/* In pixels from the top left corner of the viewport, y downwards. Buttons: 0 selects, 1 opens and closes rows. Lines of
 * the wheel are positive away from the user. Each returns whether the overlay used the event. */
IPROF_API bool iprof_pointer_moved(float x, float y);
IPROF_API bool iprof_pointer_left(void);
IPROF_API bool iprof_pointer_button(int button, bool down);
IPROF_API bool iprof_pointer_wheel(float lines, bool zoom);

typedef enum iprof_touch_phase {
    IPROF_TOUCH_STARTED = 0,
    IPROF_TOUCH_MOVED = 1,
    IPROF_TOUCH_ENDED = 2,
    IPROF_TOUCH_CANCELLED = 3 /* the system took the touch for a gesture of its own */
} iprof_touch_phase;

/* A finger on a touch screen, in the units of the pointer: a tap selects, a drag moves the cursor or scrolls the graph, two
 * fingers zoom it. The number tells fingers apart that are down at once. A phase that there is not, and a place that is not
 * finite, do nothing. Returns whether the overlay used the event. */
IPROF_API bool iprof_touch(uint64_t finger, iprof_touch_phase phase, float x, float y);

/* What keys have set: pass !iprof_is_paused() to iprof_update; draw nothing while hidden. */
IPROF_API bool iprof_is_paused(void);
IPROF_API bool iprof_is_hidden(void);

/* ---- the report as data -------------------------------------------------------------------------------------- */

typedef enum iprof_column_id {
    IPROF_BY_NAME = -1, /* no column, but an order: the names, from a to z */
    IPROF_COLUMN_OTHER = 0,
    IPROF_COLUMN_SELF_TIME = 1,
    IPROF_COLUMN_HIERARCHICAL_TIME = 2,
    IPROF_COLUMN_COUNT = 3,
    IPROF_COLUMN_STANDARD_ERROR = 4,
    IPROF_COLUMN_NET_TIME = 5,
    IPROF_COLUMN_GPU_TIME = 6,
    IPROF_COLUMN_BASELINE_COUNT = 7,
    IPROF_COLUMN_DIFFERENCE = 8,
    IPROF_COLUMN_BY_COUNT = 9,
    IPROF_COLUMN_BY_COST = 10,
    IPROF_COLUMN_P50 = 11,
    IPROF_COLUMN_P95 = 12,
    IPROF_COLUMN_P99 = 13,
    IPROF_COLUMN_MAX_TIME = 14,
    IPROF_COLUMN_DEVIATION = 15,
    IPROF_COLUMN_RESCUED = 16,
    IPROF_COLUMN_VALUE = 17,          /* the sum of the value that is shown, in its unit */
    IPROF_COLUMN_TIME_PER_UNIT = 18,  /* the report's main time per unit of it */
    IPROF_COLUMN_BASELINE_VALUE = 19, /* its sum in the baseline */
    IPROF_COLUMN_VALUE_P50 = 20,      /* of what was added to it in each frame */
    IPROF_COLUMN_VALUE_P95 = 21,
    IPROF_COLUMN_VALUE_P99 = 22,
    IPROF_COLUMN_VALUE_MAX = 23,
    IPROF_COLUMN_VALUE_DEVIATION = 24
} iprof_column_id;

/* Orders rows by a column, the largest first; by that of the report mode for IPROF_COLUMN_OTHER; or by name. */
IPROF_API iprof_error iprof_set_sort(iprof_column_id column, bool is_reversed);

/* Chooses a column beside those that a report has anyway: IPROF_COLUMN_NET_TIME, P50, P95, P99, MAX_TIME, DEVIATION, RESCUED or
 * VALUE_P50 to VALUE_DEVIATION; any other is IPROF_ERROR_VALUE. And whether it is chosen. */
IPROF_API iprof_error iprof_set_column(iprof_column_id column, bool is_shown);
IPROF_API bool iprof_column_is_chosen(iprof_column_id column);

/* How the view is set; its filter is written as iprof_timing writes. */
typedef struct iprof_settings {
    iprof_report_mode mode;
    iprof_recursion recursion;
    int average;
    iprof_column_id sort; /* IPROF_COLUMN_OTHER: by that of the report mode */
    bool is_sort_reversed, is_grouped, is_idle_ranked, are_times_net;
    double min_share;
} iprof_settings;
IPROF_API iprof_error iprof_settings_now(iprof_settings *settings);
IPROF_API size_t iprof_filter(char *buffer, size_t size);

typedef struct iprof_column {
    iprof_column_id id;
    const char *header;
    const char *unit; /* "ms", that of the value, or "" for a count */
} iprof_column;

enum {
    IPROF_ROW_CURSOR = 1,  /* the cursor is on the row */
    IPROF_ROW_IDLE = 2,    /* the program waits in the zone */
    IPROF_ROW_COUNTER = 4, /* the zone is counted, and has no times */
    IPROF_ROW_OWN = 8,     /* the zone is iprof's own */
    IPROF_ROW_OVER_BUDGET = 16 /* the zone exceeds its budget on a thread in view, in the frame shown or on average */
};

typedef struct iprof_row {
    const char *name;
    const char *file;     /* where the zone stands; NULL if unknown */
    const double *values; /* one for each column, in its unit; NaN where the row has none */
    const double *errors; /* their standard errors; 0 if exact */
    unsigned line;
    unsigned indent;
    unsigned flags;
    float heat;     /* how much the value fluctuates, 0 to 1 */
    char expansion; /* '+' can be opened, '-' is open, ' ' is a leaf */
    const iprof_budget *budget; /* NULL if the row's zone has none, or the row is not for all of its calls */
} iprof_row;

typedef struct iprof_report {
    const char *const *title;
    size_t title_count;
    const char *const *warnings;
    size_t warning_count;
    const iprof_column *columns;
    size_t column_count;
    const iprof_row *rows;
    size_t row_count;
    double frame_ms; /* milliseconds of the frame that is shown */
    size_t threads;  /* how many are added up */
} iprof_report;

/* The report as it is now; it does not change. Free it. NULL only in case of a defect. */
IPROF_API const iprof_report *iprof_report_new(void);
IPROF_API void iprof_report_free(const iprof_report *report);

/* ---- text and files ------------------------------------------------------------------------------------------ */

/* Takes bytes, without a 0 at their end; returns 0 to get more. Another value ends the call with IPROF_ERROR_IO. */
typedef int (*iprof_write)(void *context, const char *bytes, size_t length);

/* Writes to a FILE *, as in iprof_write_report(iprof_to_file, stdout). */
IPROF_INLINE int iprof_to_file(void *file, const char *bytes, size_t length)
{
    return file && fwrite(bytes, 1, length, (FILE *)file) == length ? 0 : 1;
}

/* The report as text; and as "csv" or "json", with all digits: RFC 4180, and one object. */
IPROF_API iprof_error iprof_write_report(iprof_write write, void *context);
IPROF_API iprof_error iprof_write_report_as(const char *format, iprof_write write, void *context);

/* The remembered frames of those numbers, both included, on a timeline: as "trace", trace events for Perfetto, or "html", a page.
 * IPROF_ERROR_NOT_FOUND if none of them is remembered. */
IPROF_API iprof_error iprof_frames_write(uint64_t first, uint64_t last, const char *format, iprof_write write, void *context);

/* All that was recorded, of all threads, since the program's begin or iprof_reset; or since an earlier snapshot. NULL for
 * `later` is a snapshot taken now, for `earlier` the program's begin. Free them. */
typedef struct iprof_snapshot iprof_snapshot;
IPROF_API iprof_snapshot *iprof_snapshot_new(void);
IPROF_API iprof_snapshot *iprof_snapshot_since(const iprof_snapshot *later, const iprof_snapshot *earlier);
IPROF_API void iprof_snapshot_free(iprof_snapshot *snapshot);

/* Replaces a file, in the format of its name's end: .txt .cycles.txt .folded .callgrind .gprof .html .pb.gz
 * .speedscope.json .trace.json .json .csv. A NULL snapshot is one taken now. */
IPROF_API iprof_error iprof_snapshot_write_file(const iprof_snapshot *snapshot, const char *path);

/* The same by a function. The format is tree, cycles, folded, callgrind, gprof, html, pprof, speedscope, json or csv. */
IPROF_API iprof_error iprof_snapshot_write(const iprof_snapshot *snapshot, const char *format, iprof_write write,
                                           void *context);

/* Opens the HTTP endpoint, by which pprof and browsers get profiles, at an address such as "127.0.0.1:6060", or at a port of this
 * machine alone, "6060"; "0" is any free port. Which it is, is written, unless `port` is NULL. A second call moves it. */
IPROF_API iprof_error iprof_http_serve(const char *address, uint16_t *port);
IPROF_API void iprof_http_stop(void);

/* ---- the overlay --------------------------------------------------------------------------------------------- */

/* The address of an OpenGL function: SDL_GL_GetProcAddress, or glfwGetProcAddress with a cast. */
typedef void *(*iprof_gl_loader)(const char *name);

/* Makes this thread's overlay, for the context that is current on it: OpenGL 2.1, OpenGL ES 2.0, or later. The context
 * must be current in each call below. A second call replaces the overlay. */
IPROF_API iprof_error iprof_gl_init(iprof_gl_loader loader);

/* Deletes the overlay's objects from the context. Without an overlay nothing happens. */
IPROF_API void iprof_gl_destroy(void);

/* A zone on the CPU and in the commands that are given to the context meanwhile: the report has a column of the GPU's times,
 * which are known some frames later. Without an overlay it is a zone on the CPU alone. Close it by its own function, on the
 * same thread; GPU zones that are still open within it are closed as well. */
IPROF_API void iprof_gpu_begin(const void *made);
IPROF_API void iprof_gpu_end(const void *made);
IPROF_INLINE void iprof_gpu_zone_begin(iprof_zone *zone) { iprof_gpu_begin(iprof_made(zone)); }
IPROF_INLINE void iprof_gpu_zone_end(iprof_zone *zone) { iprof_gpu_end(iprof_made(zone)); }

/* GPU zones whose times the program measures by itself, by Vulkan, Direct3D, Metal or otherwise. A timeline stands for one queue,
 * to which one thread at a time gives commands. Free it; zones that are not finished then have no time. */
typedef struct iprof_gpu_timeline iprof_gpu_timeline;
IPROF_API iprof_gpu_timeline *iprof_gpu_timeline_new(void);
IPROF_API void iprof_gpu_timeline_free(iprof_gpu_timeline *timeline);

/* Begins a zone on the GPU, of the same name as this thread's innermost open zone, and in the zone of the timeline that was begun
 * last and has not ended. Returns its number; 0 if it is not recorded: no zone is open, recording is off, 65,536 zones are not
 * finished, or the timeline is NULL. It needs no times then, and what is done with 0 on a timeline does nothing. */
IPROF_API uint64_t iprof_gpu_timeline_begin(const iprof_gpu_timeline *timeline);

/* Ends a zone where its commands end, and those that were begun in it and have not ended. IPROF_ERROR_VALUE if it has ended. */
IPROF_API iprof_error iprof_gpu_timeline_end(const iprof_gpu_timeline *timeline, uint64_t zone);

/* Finishes a zone that has ended, in whatever later frame, zones in it first: hands in the GPU's times of its begin and its end, in
 * nanoseconds of any one clock, or NULL if they are not known. Each zone has to be finished: the times of a frame are shown when all
 * of its zones are. A time that cannot be true, negative or longer than what has passed since the begin, is not shown, and the
 * report warns of it. IPROF_ERROR_VALUE if the zone has not ended, IPROF_ERROR_NOT_FOUND if it is finished. */
IPROF_API iprof_error iprof_gpu_timeline_finish(const iprof_gpu_timeline *timeline, uint64_t zone, const uint64_t *ns);

/* Draws the report into a rectangle, in pixels from the top left corner of the viewport, or in units of iprof_set_screen.
 * Times have 1 to 4 decimal places. The host's GL state stays as it was. Without an overlay nothing happens. */
IPROF_API void iprof_draw_gl(float x, float y, float w, float h, int precision);

/* Draws a bar for each frame, x_spacing wide and y_spacing high for each millisecond; (x, y) is the top left corner. */
IPROF_API void iprof_draw_graph_gl(float x, float y, float x_spacing, float y_spacing);

/* Draws the call tree of what is shown into a rectangle, as a flame graph with the root on top. */
IPROF_API void iprof_draw_flame_gl(float x, float y, float w, float h);

/* Draws what is under the pointer in words; last. */
IPROF_API void iprof_draw_tooltip_gl(void);

/* Draws all that keys drive, usually into the window less a margin: the report in the upper left, the graph at the foot,
 * the help or a hint to it, and the tooltip; nothing while hidden. */
IPROF_API void iprof_draw_controls_gl(float x, float y, float w, float h);

/* The part of that for a program which places the report and the graph itself: after the report, with its rectangle. */
IPROF_API void iprof_draw_help_gl(float x, float y, float w, float h);

/* The size of a virtual screen; 0, 0 for pixels. The factor of all sizes. The height of text in pixels. */
IPROF_API iprof_error iprof_set_screen(float w, float h);
IPROF_API iprof_error iprof_set_scale(float scale);
IPROF_API iprof_error iprof_set_text_size(float px);

/* 0 dark, 1 light, 2 for the color-blind. A TrueType or OpenType font, of which a copy is kept. */
IPROF_API iprof_error iprof_set_theme(int theme);
IPROF_API iprof_error iprof_set_font(const void *bytes, size_t length);

/* What was drawn at a point: 1 a row, whose position is written, 2 a frame, whose number is written, 0 nothing. Either
 * pointer may be NULL. */
IPROF_API int iprof_hit(float x, float y, unsigned *row, uint64_t *frame);

/* ---- a renderer of your own ---------------------------------------------------------------------------------- */

/* For Vulkan, Direct3D, Metal, software: what the functions of OpenGL draw, as triangles. Each frame, on the thread that
 * draws: begin, with the size of the target in pixels; add parts, the lowest first; and draw what iprof_drawing_data gives.
 * Keys, the pointer, iprof_hit, iprof_set_screen and the like work as with OpenGL. */
IPROF_API iprof_error iprof_drawing_begin(float w, float h);
IPROF_API void iprof_draw_report(float x, float y, float w, float h, int precision);
IPROF_API void iprof_draw_graph(float x, float y, float x_spacing, float y_spacing);
IPROF_API void iprof_draw_flame(float x, float y, float w, float h);
IPROF_API void iprof_draw_tooltip(void);
IPROF_API void iprof_draw_controls(float x, float y, float w, float h);
IPROF_API void iprof_draw_help(float x, float y, float w, float h);

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

/* What was drawn since iprof_drawing_begin. The version is that of the atlas which you have uploaded, 0 for none. The
 * pointers are valid until this thread's next call of these functions. */
IPROF_API iprof_error iprof_drawing_data(uint64_t version, iprof_drawing *drawing);

/* Frees what this thread draws with. */
IPROF_API void iprof_drawing_destroy(void);

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

/* IPROF_SCOPE("name"); from here to the end of the scope. IPROF_FUNCTION(); the same by the function's name.
 * IPROF_SCOPE_BUDGET("name", ms); the same with a budget.
 * IPROF_GPU_SCOPE("name"); the same on the GPU, too. IPROF_COUNTER("name"); counts how often it is passed.
 * IPROF_ADD("bodies", "body", count); adds a whole number to a value. With IPROF_DISABLED they are nothing. */
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
