/* Uses everything in iprof.h: zones, values, threads, frames, actions, keys, the report as rows and text, a file, GPU
 * times, alarms, and drawing with the program's own renderer and with OpenGL. The argument is the file's path. Prints
 * the report and then "drawn" or "no context". */
#include "iprof.h"
#include "context.h"
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#define CHECK(condition) \
    do { if (!(condition)) { printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #condition, iprof_error_message()); exit(1); } } while (0)

enum { WIDTH = 640, HEIGHT = 360, GL_COLOR_BUFFER_BIT = 0x4000, GL_RGBA = 0x1908, GL_UNSIGNED_BYTE = 0x1401 };

static iprof_zone frame = IPROF_ZONE("frame"), physics = IPROF_ZONE("physics"), body = IPROF_ZONE_BUDGET("body", 0.001);
static iprof_value bodies = IPROF_VALUE("bodies", "body"), energy = IPROF_VALUE_IN_STEPS("energy", "J", 1000);

static void recurse(int depth)
{
    IPROF_SCOPE("recurse");
    if (depth > 1) recurse(depth - 1);
}

static void work(void)
{
    int at;
    iprof_zone_begin(&frame);
    iprof_zone_begin(&physics);
    for (at = 0; at < 10; at++) {
        iprof_zone_begin(&body);
        IPROF_COUNTER("contact");
        iprof_value_add(&bodies, at);
        iprof_value_add_double(&energy, 0.25);
        iprof_zone_end(&body);
    }
    usleep(1000);
    iprof_zone_end(&physics);
    recurse(5);
    iprof_zone_end(&frame);
}

static void *thread(void *unused)
{
    CHECK(!iprof_set_thread_name("worker"));
    work();
    return unused;
}

/* ---- the report ---------------------------------------------------------------------------------------------- */

struct search {
    const char *name;
    iprof_row row;
    int count, cursors;
    bool has_place; /* strings are valid during the call */
};

static void compare(void *context, const iprof_row *row)
{
    struct search *search = context;
    search->cursors += (row->flags & IPROF_ROW_CURSOR) != 0;
    if (strcmp(row->name, search->name)) return;
    search->row = *row;
    search->has_place = row->file && strstr(row->file, "smoke.c") && row->line > 0;
    search->count++;
}

/* Returns the row with this name, or NaNs if there is none. There must be at most one. */
static struct search find(const char *name)
{
    struct search search;
    memset(&search, 0, sizeof search);
    search.name = name;
    search.row.count = search.row.self_ms = NAN;
    CHECK(!iprof_report_rows(compare, &search));
    CHECK(search.cursors <= 1 && search.count <= 1);
    return search;
}

static iprof_row row_of(const char *name) { return find(name).row; }

static void find_cursor(void *context, const iprof_row *row)
{
    int *at = context; /* the number of rows so far, or -1 minus the cursor's position */
    if (*at >= 0) *at = row->flags & IPROF_ROW_CURSOR ? -1 - *at : *at + 1;
}

static int cursor(void)
{
    int at = 0;
    CHECK(!iprof_report_rows(find_cursor, &at) && at < 0);
    return -1 - at;
}

static char text[1 << 16];
static int append(void *context, const char *bytes, size_t length)
{
    (void)context;
    strncat(text, bytes, length);
    return 0;
}

static int refuse(void *context, const char *bytes, size_t length)
{
    (void)context, (void)bytes, (void)length;
    return 7;
}

static bool report_has(const char *part)
{
    text[0] = 0;
    CHECK(!iprof_write_report(append, NULL));
    return strstr(text, part) != NULL;
}

static void counts(const char *file)
{
    pthread_t worker;
    char timing[32], small[3];
    iprof_row row;
    CHECK(!iprof_set_timing("exact"));
    CHECK(iprof_timing(timing, sizeof timing) == 5 && !strcmp(timing, "exact"));
    CHECK(iprof_timing(small, sizeof small) == 5 && !strcmp(small, "ex"));
    iprof_register_thread();
    iprof_set_history(100), iprof_set_history_memory(1 << 20), iprof_set_longest_frames(4);
    iprof_update(true);
    work();
    CHECK(!pthread_create(&worker, NULL, thread, NULL) && !pthread_join(worker, NULL));
    CHECK(!iprof_mark("worked"));
    iprof_set_recording(false);
    CHECK(!iprof_is_recording());
    work();
    iprof_set_recording(true);
    iprof_update(true);
    work();
    iprof_update(false);
    CHECK(!iprof_act("set_average newest") && !iprof_act("set_value bodies"));
    row = row_of("body");
    CHECK(row.count == 20 && row.value == 2 * 45 && row.self_ms > 0 && row.hierarchical_ms >= row.self_ms);
    CHECK(find("body").has_place && row.heat >= 0 && (row.flags & IPROF_ROW_OVER_BUDGET));
    CHECK(!iprof_act("set_value energy") && row_of("body").value == 2 * 2.5 && isnan(row.gpu_ms));
    CHECK(row_of("frame").count == 2 && row_of("frame").marker == '+' && row_of("physics").count == 2);
    CHECK(row_of("frame").hierarchical_ms >= row_of("physics").hierarchical_ms);
    CHECK(row_of("contact").count == 20 && (row_of("contact").flags & IPROF_ROW_COUNTER) && !(row_of("contact").self_ms > 0));
    CHECK(!iprof_act("set_recursion flatten") && row_of("recurse (5)").count == 10);

    CHECK(!iprof_act("set_threads worker") && row_of("body").count == 10);
    CHECK(iprof_act("set_threads nobody") == IPROF_ERROR_NOT_FOUND && strstr(iprof_error_message(), "nobody"));
    CHECK(!iprof_act("set_threads") && row_of("body").count == 20);
    CHECK(!iprof_act("set_filter phys") && row_of("physics").count == 2 && isnan(row_of("frame").count));
    CHECK(!iprof_act("clear_filter") && row_of("frame").count == 2);
    CHECK(!iprof_act("select_zone physics") && report_has("call graph") && row_of("body").indent > 0);
    CHECK(!iprof_act("set_report_mode self-time") && report_has("self time") && report_has("physics"));
    CHECK(!iprof_act("set_frames 1") && report_has("frame 1") && !iprof_act("set_frames marked worked") && report_has("frame 2"));
    CHECK(!iprof_act("set_frames live"));
    CHECK(iprof_write_report(refuse, NULL) == IPROF_ERROR_IO && strstr(iprof_error_message(), "7"));
    text[0] = 0;
    CHECK(!iprof_write_profile("folded", append, NULL) && strstr(text, "frame;physics;body"));
    CHECK(!iprof_write_file(file));
    CHECK(iprof_write_file("/a.nothing") == IPROF_ERROR_VALUE && iprof_write_file("/no/such/folder/a.txt") == IPROF_ERROR_IO);
    CHECK(!iprof_write_report(iprof_to_file, stdout));

    /* Convert units to steps. */
    CHECK(iprof_nearest_steps(&energy, 0.0006) == 1 && iprof_nearest_steps(&energy, -0.0006) == (uint64_t)-1);
    CHECK(iprof_nearest_steps(&energy, 0.0004) == 0 && iprof_nearest_steps(&energy, NAN) == 0);
    CHECK(iprof_nearest_steps(&energy, INFINITY) == INT64_MAX && iprof_nearest_steps(&energy, -1e300) == (uint64_t)INT64_MIN);
    CHECK(iprof_steps(&energy, -2) == (uint64_t)-2000 && iprof_steps(NULL, 3) == 3);
}

static void keys(void)
{
    CHECK(iprof_key("p", 0) && iprof_is_hidden() && iprof_key("p", 0) && !iprof_is_hidden());
    CHECK(iprof_key("Space", 0) && iprof_is_paused() && !iprof_act("toggle_pause") && !iprof_is_paused());
    CHECK(!iprof_key("F9", IPROF_CONTROL));
    CHECK(!iprof_bind_key("F9", IPROF_CONTROL, "set_report_mode call-tree"));
    CHECK(iprof_key("F9", IPROF_CONTROL) && report_has("call tree"));
    CHECK(!iprof_bind_key("F9", IPROF_CONTROL, NULL) && !iprof_key("F9", IPROF_CONTROL));
    CHECK(iprof_key("/", 0) && iprof_text("phy") && iprof_key("Enter", 0));
    CHECK(isnan(row_of("recurse (5)").count) && !iprof_act("clear_filter"));
    CHECK(!iprof_act("set_report_mode self-time"));
    CHECK(!iprof_touch(1, IPROF_TOUCH_STARTED, 9, 9) && !iprof_touch(1, 77, 9, 9));
}

/* ---- alarms -------------------------------------------------------------------------------------------------- */

static int slow_frames;

static void slow(void *context, uint64_t number, double ms, double budget_ms)
{
    CHECK(context == &slow_frames && number > 0 && ms > budget_ms && budget_ms == 0.5);
    slow_frames++;
}

static void alarms(void)
{
    char said[100] = "";
    FILE *file = NULL;
    int at;
    CHECK(!iprof_set_frame_budget(0.5) && !iprof_on_slow_frame(slow, &slow_frames, 0));
    for (at = 0; at < 3; at++) {
        work();
        iprof_update(true);
    }
    CHECK(slow_frames == 1); /* once per hitch */
    CHECK(!iprof_on_slow_frame(NULL, NULL, 0));
    CHECK(!iprof_set_stall_timeout(0.05, "stall-of-c.txt"));
    iprof_zone_begin(&physics);
    for (at = 0; at < 1000 && !(file = fopen("stall-of-c.txt", "r")); at++) usleep(10000);
    iprof_zone_end(&physics);
    CHECK(file && !iprof_set_stall_timeout(0, NULL) && fgets(said, sizeof said, file));
    fclose(file);
    unlink("stall-of-c.txt");
}

/* ---- the GPU ------------------------------------------------------------------------------------------------- */

static void gpu_timeline(void)
{
    static const uint64_t outer_ns[2] = {5000000, 5003000}, inner_ns[2] = {5001000, 5002000};
    iprof_gpu_timeline *timeline = iprof_gpu_timeline_new();
    uint64_t outer, inner;
    CHECK(timeline && !iprof_gpu_timeline_begin(timeline)); /* no zone is open */
    iprof_zone_begin(&frame);
    outer = iprof_gpu_timeline_begin(timeline);
    iprof_zone_begin(&physics);
    inner = iprof_gpu_timeline_begin(timeline);
    iprof_zone_end(&physics);
    CHECK(outer && inner && outer != inner && !iprof_gpu_timeline_end(timeline, inner));
    usleep(1000);
    iprof_zone_end(&frame);
    CHECK(!iprof_gpu_timeline_end(timeline, outer));
    iprof_update(true);
    CHECK(!iprof_gpu_timeline_finish(timeline, inner, inner_ns) && !iprof_gpu_timeline_finish(timeline, outer, outer_ns));
    CHECK(iprof_gpu_timeline_finish(timeline, inner, inner_ns) == IPROF_ERROR_NOT_FOUND);
    iprof_update(true);
    CHECK(!iprof_act("set_frames back 1") && !iprof_act("set_report_mode self-time"));
    CHECK(fabs(row_of("frame").gpu_ms - 0.002) < 1e-6 && fabs(row_of("physics").gpu_ms - 0.001) < 1e-6);
    CHECK(!iprof_act("set_frames live"));
    /* Free the timeline while a zone has not ended. */
    iprof_zone_begin(&frame);
    CHECK(iprof_gpu_timeline_begin(timeline));
    iprof_gpu_timeline_free(timeline);
    iprof_zone_end(&frame);
}

/* ---- drawing ------------------------------------------------------------------------------------------------- */

/* Checks that vertices are inside the target, and that the atlas is uploaded once. */
static void own_renderer(void)
{
    iprof_drawing drawing, again;
    size_t at, inside = 0, textured = 0;
    CHECK(iprof_drawing_data(0, &drawing) == IPROF_ERROR_NO_OVERLAY && iprof_set_scale(1) == IPROF_ERROR_NO_OVERLAY);
    CHECK(!iprof_drawing_begin(WIDTH, HEIGHT) && !iprof_set_theme("light") && !iprof_set_theme("dark"));
    CHECK(iprof_set_theme("pink") == IPROF_ERROR_VALUE && iprof_set_font("no font", 7) == IPROF_ERROR_VALUE);
    CHECK(!iprof_drawing_data(0, &drawing) && drawing.vertex_count == 0);
    iprof_draw_report(10, 10, 400, 200, 2);
    iprof_draw_graph(10, 220, 4, 4);
    CHECK(!iprof_drawing_data(0, &drawing));
    CHECK(drawing.vertex_count > 400 && drawing.vertex_count % 4 == 0);
    for (at = 0; at < drawing.vertex_count; at++) {
        const iprof_vertex *vertex = &drawing.vertices[at];
        inside += vertex->x >= 0 && vertex->x <= WIDTH && vertex->y >= 0 && vertex->y <= HEIGHT;
        textured += vertex->u > 0 || vertex->v > 0;
    }
    CHECK(inside == drawing.vertex_count && textured > 200);
    CHECK(drawing.pixels && drawing.width == drawing.atlas_width && drawing.height <= drawing.atlas_height);
    CHECK(!iprof_drawing_data(drawing.atlas_version, &again));
    CHECK(!again.pixels && again.vertex_count == drawing.vertex_count);
    /* Without OpenGL, the pointer and the scale apply to the program's own drawing. */
    CHECK(iprof_pointer_moved(60, 40));
    CHECK(!iprof_set_scale(2) && !iprof_drawing_begin(WIDTH, HEIGHT));
    iprof_draw_controls(10, 10, 600, 300);
    CHECK(!iprof_drawing_data(again.atlas_version, &again) && again.pixels && again.vertex_count > 100);
    iprof_pointer_left();
    iprof_drawing_destroy();
    CHECK(iprof_drawing_data(0, &drawing) == IPROF_ERROR_NO_OVERLAY);
}

static void (*clear)(unsigned);
static void (*read_pixels)(int, int, int, int, unsigned, unsigned, void *);

/* Returns the number of pixels that are not black after drawing. */
static int drawn(void (*draw)(void))
{
    static unsigned char pixels[WIDTH * HEIGHT * 4];
    int at, count = 0;
    clear(GL_COLOR_BUFFER_BIT);
    draw();
    read_pixels(0, 0, WIDTH, HEIGHT, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    for (at = 0; at < WIDTH * HEIGHT; at++) count += pixels[4 * at] + pixels[4 * at + 1] + pixels[4 * at + 2] > 0;
    return count;
}

static void nothing(void) {}
static void draw_report(void) { iprof_draw_gl(10, 10, 400, 200, 2); }
static void draw_graph(void) { iprof_draw_graph_gl(10, 220, 4, 4); }
static void draw_all(void) { iprof_draw_controls_gl(10, 10, 600, 340); }

static void draw_help(void)
{
    iprof_draw_gl(10, 10, 400, 200, 2);
    iprof_draw_help_gl(10, 10, 400, 200);
    iprof_draw_tooltip_gl();
}

static void gl_frame(void)
{
    iprof_gpu_zone_begin(&frame);
    {
        IPROF_GPU_SCOPE("clearing");
        clear(GL_COLOR_BUFFER_BIT);
    }
    iprof_gpu_zone_end(&frame);
}

static void in_gl(context_loader loader)
{
    unsigned (*get_error)(void);
    void (*finish)(void);
    int at, first;
    *(void **)&clear = loader("glClear");
    *(void **)&read_pixels = loader("glReadPixels");
    *(void **)&get_error = loader("glGetError");
    *(void **)&finish = loader("glFinish");
    CHECK(!iprof_gl_init(loader));
    for (at = 0; at < 8; at++) {
        gl_frame();
        finish();
        iprof_update(true);
    }
    CHECK(!iprof_act("set_frames back 4"));
    CHECK(row_of("frame").count == 1 && row_of("frame").gpu_ms >= 0 && row_of("clearing").gpu_ms >= 0);
    CHECK(!iprof_act("set_frames live"));
    CHECK(drawn(nothing) == 0 && drawn(draw_report) > 1000 && drawn(draw_graph) > 100 && drawn(draw_all) > 1000);
    CHECK(!iprof_act("next_help_page") && drawn(draw_help) > drawn(draw_report) && !iprof_act("close_help"));
    /* Somewhere below the title, a click moves the cursor to a different row. */
    CHECK(!iprof_act("set_cursor 0") && drawn(draw_report) > 1000);
    first = cursor();
    for (at = 20; at < 200 && cursor() == first; at += 4)
        CHECK(iprof_pointer_moved(60, (float)at) && iprof_pointer_button(0, true) && iprof_pointer_button(0, false));
    CHECK(at < 200);
    iprof_pointer_wheel(1, false), iprof_pointer_left();
    CHECK(get_error() == 0);
    iprof_gl_destroy();
    CHECK(get_error() == 0);
}

int main(int argc, char **argv)
{
    context_loader loader = make_context(WIDTH, HEIGHT, 3, 3);
    CHECK(argc == 2);
    counts(argv[1]);
    keys();
    alarms();
    gpu_timeline();
    own_renderer();
    if (loader) in_gl(loader);
    iprof_reset();
    CHECK(isnan(row_of("frame").count));
    printf(loader ? "drawn\n" : "no context\n");
    return 0;
}
