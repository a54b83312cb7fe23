/* The alarms, drawing for a renderer of one's own, GPU zones, the tooltip and the pointer in a context. Prints "no context" where there is none. */
#include "iprof.h"
#include "context.h"
#include <string.h>
#include <unistd.h>

#define CHECK(condition) \
    do { if (!(condition)) { printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #condition, iprof_error_message()); exit(1); } } while (0)

enum { WIDTH = 640, HEIGHT = 360, GL_COLOR_BUFFER_BIT = 0x4000, GL_RGBA = 0x1908, GL_UNSIGNED_BYTE = 0x1401 };

static void (*clear_color)(float, float, float, float);
static void (*clear)(unsigned);
static void (*finish)(void);
static void (*read_pixels)(int, int, int, int, unsigned, unsigned, void *);
static unsigned (*get_error)(void);

static iprof_zone passes = IPROF_ZONE("all passes"), pass = IPROF_ZONE("clearing");
static unsigned char before[WIDTH * HEIGHT * 4], after[WIDTH * HEIGHT * 4];

/* The value of a zone in a column; -1 if it is not there. */
static double value(const char *name, iprof_column_id id)
{
    const iprof_report *report = iprof_report_new();
    double found = -1;
    size_t row, column;
    for (row = 0; row < report->row_count; row++)
        for (column = 0; column < report->column_count; column++)
            if (!strcmp(report->rows[row].name, name) && report->columns[column].id == id)
                found = report->rows[row].values[column];
    iprof_report_free(report);
    return found;
}

static void frame(void)
{
    iprof_gpu_zone_begin(&passes);
    iprof_gpu_zone_begin(&pass);
    clear(GL_COLOR_BUFFER_BIT);
    iprof_gpu_zone_end(&pass);
    clear(GL_COLOR_BUFFER_BIT);
    iprof_gpu_zone_end(&passes);
    finish();
    iprof_update(true);
}

/* How many pixels of a drawing differ from the host's. */
static int drawn(void (*draw)(void))
{
    int at, differ = 0;
    clear(GL_COLOR_BUFFER_BIT);
    read_pixels(0, 0, WIDTH, HEIGHT, GL_RGBA, GL_UNSIGNED_BYTE, before);
    draw();
    read_pixels(0, 0, WIDTH, HEIGHT, GL_RGBA, GL_UNSIGNED_BYTE, after);
    for (at = 0; at < WIDTH * HEIGHT; at++) differ += memcmp(before + 4 * at, after + 4 * at, 4) != 0;
    return differ;
}

static void report(void) { iprof_draw_gl(10, 10, 400, 200, 2); }

static void report_and_tooltip(void)
{
    iprof_draw_gl(10, 10, 400, 200, 2);
    iprof_draw_tooltip_gl();
}

static int slow_frames;

static void slow(void *context, uint64_t number, double ms, double budget_ms)
{
    CHECK(context == &slow_frames && number > 0 && ms > budget_ms && budget_ms == 0.5);
    slow_frames++;
}

static void alarms(void)
{
    static iprof_zone hitch = IPROF_ZONE("hitch"), stuck = IPROF_ZONE("stuck");
    char text[4096];
    int at;
    CHECK(!iprof_set_frame_budget(0.5));
    CHECK(iprof_on_slow_frame(slow, &slow_frames, -1) == IPROF_ERROR_VALUE);
    CHECK(!iprof_on_slow_frame(slow, &slow_frames, 0));
    for (at = 0; at < 3; at++) {
        iprof_zone_begin(&hitch);
        usleep(5000);
        iprof_zone_end(&hitch);
        iprof_update(true);
    }
    CHECK(slow_frames == 1); /* once a hitch */
    CHECK(!iprof_on_slow_frame(NULL, NULL, 0));
    CHECK(iprof_last_stall(text, sizeof text) == 0 && !text[0]);
    CHECK(iprof_set_stall_timeout(-1) == IPROF_ERROR_VALUE);
    CHECK(!iprof_set_stall_file("stall-of-c.txt"));
    CHECK(!iprof_set_stall_timeout(0.05));
    iprof_zone_begin(&stuck);
    for (at = 0; at < 200 && !iprof_last_stall(NULL, 0); at++) usleep(10000);
    iprof_zone_end(&stuck);
    CHECK(!iprof_set_stall_timeout(0));
    CHECK(!iprof_set_stall_file(NULL));
    CHECK(iprof_last_stall(text, sizeof text) > 0);
    CHECK(strstr(text, "stuck"));
    CHECK(iprof_last_stall(text, 4) > 4 && strlen(text) == 3);
    unlink("stall-of-c.txt");
}

/* The same by a renderer of one's own: vertices that lie in the target, and an atlas that is uploaded once. */
static void own_renderer(void)
{
    iprof_drawing drawing, again;
    size_t at, inside = 0, textured = 0;
    uint16_t port = 0;
    CHECK(iprof_drawing_data(0, &drawing) == IPROF_ERROR_NO_OVERLAY);
    CHECK(!iprof_drawing_begin(WIDTH, HEIGHT));
    CHECK(!iprof_drawing_data(0, &drawing) && drawing.vertex_count == 0);
    iprof_draw_report(10, 10, 400, 200, 2);
    iprof_draw_graph(10, 220, 4, 4);
    iprof_draw_flame(420, 10, 200, 100);
    CHECK(!iprof_drawing_data(0, &drawing));
    CHECK(drawing.vertex_count > 400 && drawing.vertex_count % 4 == 0);
    for (at = 0; at < drawing.vertex_count; at++) {
        const iprof_vertex *vertex = &drawing.vertices[at];
        inside += vertex->x >= 0 && vertex->x <= WIDTH && vertex->y >= 0 && vertex->y <= HEIGHT;
        textured += vertex->u > 0 || vertex->v > 0;
    }
    CHECK(inside == drawing.vertex_count && textured > 200);
    CHECK(drawing.pixels && drawing.width == drawing.atlas_width && drawing.height <= drawing.atlas_height);
    for (at = 0, inside = 0; at < (size_t)drawing.width * drawing.height; at++) inside += drawing.pixels[at] > 0;
    CHECK(inside > 1000);
    CHECK(!iprof_drawing_data(drawing.atlas_version, &again));
    CHECK(!again.pixels && again.vertex_count == drawing.vertex_count);
    /* Without OpenGL, the pointer and the sizes are of this drawing. */
    CHECK(iprof_pointer_moved(60, 100));
    CHECK(!iprof_set_text_size(30) && !iprof_drawing_begin(WIDTH, HEIGHT));
    iprof_draw_report(10, 10, 400, 200, 2);
    CHECK(!iprof_drawing_data(again.atlas_version, &again) && again.pixels);
    iprof_pointer_left();
    iprof_drawing_destroy();
    CHECK(iprof_drawing_data(0, &drawing) == IPROF_ERROR_NO_OVERLAY);
    /* The endpoint. */
    CHECK(!iprof_http_serve("0", &port) && port > 0);
    CHECK(!iprof_http_serve("127.0.0.1:0", NULL));
    iprof_http_stop();
}

int main(void)
{
    context_loader loader = make_context(WIDTH, HEIGHT, 3, 3);
    const iprof_report *shown;
    uint64_t number;
    unsigned row = 0;
    float y;
    int at;
    alarms();
    own_renderer();
    if (!loader) {
        printf("no context\n");
        return 0;
    }
    *(void **)&clear_color = loader("glClearColor");
    *(void **)&clear = loader("glClear");
    *(void **)&finish = loader("glFinish");
    *(void **)&read_pixels = loader("glReadPixels");
    *(void **)&get_error = loader("glGetError");
    frame(); /* without an overlay: on the CPU */
    CHECK(!iprof_gl_init(loader));
    clear_color(0.2f, 0.4f, 0.6f, 1);
    for (at = 0; at < 8; at++) frame();
    iprof_set_frame(5);
    CHECK(value("all passes", IPROF_COLUMN_COUNT) == 1);
    CHECK(value("all passes", IPROF_COLUMN_GPU_TIME) > 0);
    CHECK(value("clearing", IPROF_COLUMN_GPU_TIME) >= 0);
    /* Ends that have no begin are faults, and nothing else. */
    iprof_gpu_zone_end(&pass);
    iprof_gpu_zone_begin(NULL);
    iprof_gpu_zone_end(NULL);
    iprof_gpu_end(NULL);
    /* The outer end closes both. */
    iprof_gpu_zone_begin(&passes);
    iprof_gpu_zone_begin(&pass);
    iprof_gpu_zone_end(&passes);
    iprof_update(true);
    iprof_set_frame(1);
    CHECK(value("clearing", IPROF_COLUMN_COUNT) == 1);
    shown = iprof_report_new();
    CHECK(shown->warning_count > 0);
    iprof_report_free(shown);
    /* A tooltip, where the pointer is over a row; it is drawn beside what the report covers. */
    CHECK(drawn(report) > 1000);
    at = drawn(report_and_tooltip);
    CHECK(at == drawn(report));
    for (y = 10; y < 200 && !(iprof_hit(60, y, &row, &number) == 1 && row == 0); y++) {}
    CHECK(iprof_pointer_moved(60, y));
    CHECK(drawn(report_and_tooltip) != at);
    iprof_pointer_left();
    CHECK(drawn(report_and_tooltip) == at);
    /* A click puts the cursor on its row. */
    iprof_set_cursor(0);
    for (; y < 200 && !(iprof_hit(60, y, &row, NULL) == 1 && row > 0); y++) {}
    CHECK(iprof_pointer_moved(60, y) && row == 1);
    CHECK(iprof_pointer_button(0, true) && iprof_pointer_button(0, false));
    shown = iprof_report_new();
    CHECK(shown->rows[row].flags & IPROF_ROW_CURSOR);
    iprof_report_free(shown);
    CHECK(get_error() == 0);
    iprof_gl_destroy();
    CHECK(get_error() == 0);
    printf("drawn\n");
    return 0;
}
