/* Keys that the program binds, fingers, groups of threads, chosen columns, GPU times that the program measures, and the report
 * and frames as data. */
#include "iprof.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHECK(condition) \
    do { if (!(condition)) { printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #condition, iprof_error_message()); exit(1); } } while (0)

static iprof_zone step = IPROF_ZONE("step"), job = IPROF_ZONE("job");

/* What was written, as text. */
static char text[1 << 20];
static size_t length;

static int keep(void *unused, const char *bytes, size_t count)
{
    (void)unused;
    if (length + count >= sizeof text) return 1;
    memcpy(text + length, bytes, count);
    text[length += count] = 0;
    return 0;
}

static void frame(void)
{
    iprof_zone_begin(&step);
    iprof_zone_end(&step);
    iprof_update(true);
}

static iprof_settings now(void)
{
    iprof_settings settings;
    CHECK(!iprof_settings_now(&settings));
    return settings;
}

static int cursor(void)
{
    const iprof_report *report = iprof_report_new();
    size_t row;
    int found = -1;
    for (row = 0; row < report->row_count; row++)
        if (report->rows[row].flags & IPROF_ROW_CURSOR) found = (int)row;
    iprof_report_free(report);
    return found;
}

/* The value of a zone; -1 if it is not there. */
static double value(const char *name, iprof_column_id id)
{
    const iprof_report *report = iprof_report_new();
    double found = -1;
    size_t row, column;
    for (row = 0; row < report->row_count; row++)
        for (column = 0; column < report->column_count; column++)
            if (!strcmp(report->rows[row].name, name) && report->columns[column].id == id) found = report->rows[row].values[column];
    iprof_report_free(report);
    return found;
}

static bool has_column(iprof_column_id id)
{
    const iprof_report *report = iprof_report_new();
    size_t column;
    bool found = false;
    for (column = 0; column < report->column_count; column++) found = found || report->columns[column].id == id;
    iprof_report_free(report);
    return found;
}

static void keys(void)
{
    char name[16], meaning[64];
    size_t at, lines = iprof_key_line_count();
    CHECK(lines > 20);
    CHECK(iprof_key_of(IPROF_ACTION_TOGGLE_HIDDEN, 0, name, sizeof name) == 1 && !strcmp(name, "P"));
    CHECK(iprof_key_of(IPROF_ACTION_MOVE_BAND, 1, name, sizeof name) == 8 && !strcmp(name, "Shift+Up"));
    CHECK(iprof_key_of(IPROF_ACTION_MOVE_BAND, 7, name, sizeof name) == 0 && !*name);
    /* Another key, and none. */
    CHECK(!iprof_bind_key("F9", 0, IPROF_ACTION_TOGGLE_HIDDEN, 0) && !iprof_unbind_key("p", 0));
    CHECK(iprof_key_of(IPROF_ACTION_TOGGLE_HIDDEN, 0, name, sizeof name) == 2 && !strcmp(name, "F9"));
    CHECK(!iprof_key("p", 0) && !iprof_is_hidden());
    CHECK(iprof_key("F9", 0) && iprof_is_hidden() && iprof_key("F9", 0) && !iprof_is_hidden());
    /* With modifiers, and with a value. */
    CHECK(!iprof_bind_key("f", IPROF_CONTROL | IPROF_ALT, IPROF_ACTION_SET_REPORT_MODE, IPROF_CALL_TREE));
    CHECK(!iprof_key("f", IPROF_CONTROL) && now().mode == IPROF_SELF_TIME);
    CHECK(iprof_key("f", IPROF_CONTROL | IPROF_ALT) && now().mode == IPROF_CALL_TREE);
    /* What cannot be bound changes nothing. */
    CHECK(iprof_bind_key(NULL, 0, IPROF_ACTION_MARK, 0) == IPROF_ERROR_NULL && strstr(iprof_error_message(), "key"));
    CHECK(iprof_bind_key("", 0, IPROF_ACTION_MARK, 0) == IPROF_ERROR_VALUE);
    CHECK(iprof_bind_key("F9", 16, IPROF_ACTION_MARK, 0) == IPROF_ERROR_VALUE && strstr(iprof_error_message(), "16"));
    CHECK(iprof_bind_key("F9", 0, (iprof_action)1000, 0) == IPROF_ERROR_VALUE && strstr(iprof_error_message(), "1000"));
    CHECK(iprof_bind_key("F9", 0, IPROF_ACTION_SET_AVERAGE, 3) == IPROF_ERROR_VALUE && strstr(iprof_error_message(), "0 to 2"));
    CHECK(iprof_bind_key("F9", 0, IPROF_ACTION_MOVE_CURSOR, 0.0 / 1e-300 / 0.0) == IPROF_ERROR_VALUE);
    CHECK(iprof_unbind_key(NULL, 0) == IPROF_ERROR_NULL && !iprof_unbind_key("F24", 0));
    CHECK(iprof_describe_own_key(NULL, "x") == IPROF_ERROR_NULL && iprof_describe_own_key("F5", NULL) == IPROF_ERROR_NULL);
    CHECK(iprof_key("F9", 0) && iprof_is_hidden() && iprof_key("F9", 0));
    /* The lines of a help, in which both are. */
    CHECK(!iprof_describe_own_key("F5", "reload"));
    for (at = 0; at < iprof_key_line_count(); at++) {
        CHECK(iprof_key_line_keys(at, name, sizeof name) > 0 && iprof_key_line_meaning(at, meaning, sizeof meaning) > 0);
        if (!strcmp(name, "F9")) break;
    }
    CHECK(at < iprof_key_line_count() && strstr(meaning, "hide"));
    CHECK(iprof_key_line_keys(10000, name, sizeof name) == 0 && !*name && iprof_key_line_meaning((size_t)-1, NULL, 0) == 0);
    iprof_reset_keys(false);
    CHECK(iprof_key_line_count() == 0 && !iprof_key("F9", 0) && !iprof_key("Tab", 0));
    iprof_reset_keys(true);
    CHECK(iprof_key_line_count() == lines && iprof_key("Tab", 0) && now().mode == IPROF_SELF_TIME);
    /* The actions that have their values from C alone. */
    CHECK(!iprof_act(IPROF_ACTION_SET_AVERAGE, 0) && now().average == 0 && !iprof_act_text("set_average 2") && now().average == 2);
    CHECK(iprof_act(IPROF_ACTION_SET_AVERAGE, -1) == IPROF_ERROR_VALUE && iprof_act_text("set_report_mode 5") == IPROF_ERROR_VALUE);
    CHECK(now().average == 2 && now().mode == IPROF_SELF_TIME && !iprof_act(IPROF_ACTION_SET_AVERAGE, 0));
    CHECK(!iprof_act(IPROF_ACTION_SHOW_LONGEST_FRAME, 0) && !iprof_act(IPROF_ACTION_SHOW_LIVE, 0));
}

/* A tap puts the cursor on a row; a drag, in two fingers' distance or not, is used; what begins beside the overlay is not. */
static void fingers(void)
{
    const float nan = (float)(0.0 / 1e-300 / 0.0);
    unsigned row = 0;
    float y;
    int before;
    CHECK(!iprof_touch(1, IPROF_TOUCH_STARTED, 20, 60)); /* nothing is drawn */
    CHECK(!iprof_drawing_begin(640, 360));
    iprof_draw_report(0, 0, 300, 200, 2);
    iprof_set_cursor(0);
    for (y = 0; y < 190 && !(iprof_hit(60, y, &row, NULL) == 1 && row == 1); y++) {}
    CHECK(iprof_touch(7, IPROF_TOUCH_STARTED, 60, y) && cursor() == 0);
    CHECK(iprof_touch(7, IPROF_TOUCH_ENDED, 60, y) && cursor() == 1);
    CHECK(!iprof_touch(7, IPROF_TOUCH_STARTED, 600, 300) && !iprof_touch(7, IPROF_TOUCH_ENDED, 600, 300));
    CHECK(!iprof_touch(7, IPROF_TOUCH_STARTED, nan, 60) && !iprof_touch(7, IPROF_TOUCH_ENDED, 60, nan));
    CHECK(!iprof_touch(7, (iprof_touch_phase)4, 60, 60) && !iprof_touch(7, (iprof_touch_phase)-1, 60, 60));
    before = cursor();
    CHECK(iprof_touch(1, IPROF_TOUCH_STARTED, 60, y) && iprof_touch(1, IPROF_TOUCH_CANCELLED, 60, y) && cursor() == before);
    CHECK(iprof_touch(1, IPROF_TOUCH_STARTED, 60, y) && iprof_touch(2, IPROF_TOUCH_STARTED, 90, y));
    CHECK(iprof_touch(2, IPROF_TOUCH_MOVED, 120, y) && iprof_touch(1, IPROF_TOUCH_ENDED, 60, y));
    iprof_drawing_destroy();
}

static void *worker(void *name)
{
    CHECK(!iprof_set_thread_name(name));
    iprof_zone_begin(&job);
    iprof_zone_end(&job);
    return NULL;
}

static void threads(void)
{
    char *names[] = {"worker-1", "worker-2", "worker-3", "other"};
    pthread_t all[4];
    size_t at;
    for (at = 0; at < 4; at++) CHECK(!pthread_create(&all[at], NULL, worker, names[at]));
    for (at = 0; at < 4; at++) CHECK(!pthread_join(all[at], NULL));
    frame();
    CHECK(value("job", IPROF_COLUMN_COUNT) == 4 && value("step", IPROF_COLUMN_COUNT) == 1);
    CHECK(!iprof_show_thread_group("worker-2") && value("job", IPROF_COLUMN_COUNT) == 3 && value("step", IPROF_COLUMN_COUNT) == -1);
    CHECK(iprof_show_thread_group(NULL) == IPROF_ERROR_NULL && iprof_show_thread_group("nobody") == IPROF_ERROR_NOT_FOUND);
    CHECK(value("job", IPROF_COLUMN_COUNT) == 3);
    iprof_show_frame_thread();
    CHECK(value("step", IPROF_COLUMN_COUNT) == 1 && value("job", IPROF_COLUMN_COUNT) == -1);
    CHECK(!iprof_show_thread("worker-2") && value("job", IPROF_COLUMN_COUNT) == 1);
    CHECK(!iprof_show_thread(NULL) && value("job", IPROF_COLUMN_COUNT) == 4);
}

static void columns(void)
{
    const iprof_column_id chosen[] = {IPROF_COLUMN_NET_TIME, IPROF_COLUMN_P50, IPROF_COLUMN_P95, IPROF_COLUMN_P99,
                                      IPROF_COLUMN_MAX_TIME, IPROF_COLUMN_DEVIATION, IPROF_COLUMN_RESCUED};
    size_t at;
    for (at = 0; at < sizeof chosen / sizeof *chosen; at++) {
        CHECK(!iprof_column_is_chosen(chosen[at]) && !has_column(chosen[at]));
        CHECK(!iprof_set_column(chosen[at], true) && iprof_column_is_chosen(chosen[at]) && has_column(chosen[at]));
        CHECK(!iprof_set_sort(chosen[at], false) && now().sort == chosen[at]);
        CHECK(!iprof_set_column(chosen[at], false) && !iprof_column_is_chosen(chosen[at]) && !has_column(chosen[at]));
    }
    CHECK(!iprof_set_sort(IPROF_COLUMN_OTHER, false));
    CHECK(iprof_set_column(IPROF_COLUMN_COUNT, false) == IPROF_ERROR_VALUE && has_column(IPROF_COLUMN_COUNT));
    CHECK(strstr(iprof_error_message(), "cannot be chosen"));
    for (at = 0; at < 4; at++) {
        const int none[] = {0, -1, 25, -2147483647 - 1};
        CHECK(iprof_set_column((iprof_column_id)none[at], true) == IPROF_ERROR_VALUE && !iprof_column_is_chosen((iprof_column_id)none[at]));
    }
}

/* The frames are long enough for the times that are handed in: what is longer cannot be true. */
static void gpu_frame(iprof_gpu_timeline *timeline, const uint64_t *outer_ns, const uint64_t *inner_ns)
{
    static iprof_zone pass = IPROF_ZONE("pass"), shadows = IPROF_ZONE("shadows");
    uint64_t outer, inner;
    iprof_zone_begin(&pass);
    outer = iprof_gpu_timeline_begin(timeline);
    iprof_zone_begin(&shadows);
    inner = iprof_gpu_timeline_begin(timeline);
    iprof_zone_end(&shadows);
    CHECK(outer && inner && outer != inner);
    CHECK(iprof_gpu_timeline_finish(timeline, inner, inner_ns) == IPROF_ERROR_VALUE && strstr(iprof_error_message(), "has not ended"));
    CHECK(!iprof_gpu_timeline_end(timeline, inner));
    CHECK(iprof_gpu_timeline_end(timeline, inner) == IPROF_ERROR_VALUE && strstr(iprof_error_message(), "already"));
    usleep(5000);
    iprof_zone_end(&pass);
    CHECK(!iprof_gpu_timeline_end(timeline, outer));
    iprof_update(true);
    /* A frame later, the inner first. */
    CHECK(!iprof_gpu_timeline_finish(timeline, inner, inner_ns) && !iprof_gpu_timeline_finish(timeline, outer, outer_ns));
    CHECK(iprof_gpu_timeline_finish(timeline, inner, inner_ns) == IPROF_ERROR_NOT_FOUND);
    CHECK(iprof_gpu_timeline_end(timeline, outer) == IPROF_ERROR_NOT_FOUND);
    iprof_update(true);
}

static double rounded(double ms) { return (int)(ms * 1e6 + 0.5) / 1e6; }

static void gpu_times(void)
{
    const uint64_t outer_ns[] = {1000000, 4000000}, inner_ns[] = {1500000, 2500000}, backwards[] = {5000, 4000};
    iprof_gpu_timeline *timeline = iprof_gpu_timeline_new();
    const iprof_report *report;
    uint64_t left;
    size_t at, said = 0;
    CHECK(timeline && !iprof_gpu_timeline_begin(timeline)); /* no zone is open */
    CHECK(!iprof_gpu_timeline_end(timeline, 0) && !iprof_gpu_timeline_finish(timeline, 0, NULL));
    CHECK(!iprof_gpu_timeline_begin(NULL) && iprof_gpu_timeline_end(NULL, 1) == IPROF_ERROR_NULL);
    CHECK(iprof_gpu_timeline_finish(NULL, 1, NULL) == IPROF_ERROR_NULL && iprof_gpu_timeline_end(NULL, 0) == IPROF_ERROR_NULL);
    CHECK(iprof_gpu_timeline_end(timeline, 7) == IPROF_ERROR_NOT_FOUND && strstr(iprof_error_message(), "7"));
    iprof_set_recording(false);
    iprof_zone_begin(&step);
    CHECK(!iprof_gpu_timeline_begin(timeline));
    iprof_zone_end(&step);
    iprof_set_recording(true);
    gpu_frame(timeline, outer_ns, inner_ns);
    iprof_set_frame(1); /* that in which the zones ended */
    CHECK(!iprof_set_report_mode(IPROF_HIERARCHICAL_TIME));
    CHECK(rounded(value("pass", IPROF_COLUMN_GPU_TIME)) == 3 && rounded(value("shadows", IPROF_COLUMN_GPU_TIME)) == 1);
    CHECK(!iprof_set_report_mode(IPROF_SELF_TIME));
    CHECK(rounded(value("pass", IPROF_COLUMN_GPU_TIME)) == 2 && rounded(value("shadows", IPROF_COLUMN_GPU_TIME)) == 1);
    /* Unknown, and what cannot be true, of which the report warns. */
    gpu_frame(timeline, NULL, NULL);
    gpu_frame(timeline, outer_ns, backwards);
    report = iprof_report_new();
    for (at = 0; at < report->warning_count; at++) said += strstr(report->warnings[at], "GPU") != NULL;
    CHECK(said);
    iprof_report_free(report);
    /* Freed with a zone that has not ended. */
    iprof_zone_begin(&step);
    left = iprof_gpu_timeline_begin(timeline);
    CHECK(left);
    iprof_gpu_timeline_free(timeline);
    iprof_zone_end(&step);
    iprof_update(true);
    iprof_gpu_timeline_free(NULL);
}

static void data(void)
{
    const uint64_t none = (uint64_t)-1;
    iprof_set_frame(0);
    frame();
    length = 0;
    CHECK(!iprof_write_report_as("csv", keep, NULL) && strstr(text, "step") && strstr(text, "\n") && strchr(text, ','));
    length = 0;
    CHECK(!iprof_write_report_as("json", keep, NULL) && text[0] == '{' && strstr(text, "\"step\""));
    length = 0;
    CHECK(iprof_write_report_as("xml", keep, NULL) == IPROF_ERROR_VALUE && strstr(iprof_error_message(), "csv or json"));
    CHECK(iprof_write_report_as(NULL, keep, NULL) == IPROF_ERROR_NULL && iprof_write_report_as("csv", NULL, NULL) == IPROF_ERROR_NULL);
    CHECK(iprof_write_report_as("csv", iprof_to_file, NULL) == IPROF_ERROR_IO && !length);
    CHECK(!iprof_frames_write(0, none, "trace", keep, NULL) && strstr(text, "\"ph\"") && strstr(text, "\"step\""));
    length = 0;
    CHECK(!iprof_frames_write(0, 1, "html", keep, NULL) && strstr(text, "<html") && strstr(text, "step"));
    length = 0;
    CHECK(iprof_frames_write(none - 1, none, "trace", keep, NULL) == IPROF_ERROR_NOT_FOUND && !length);
    CHECK(iprof_frames_write(1, 0, "trace", keep, NULL) == IPROF_ERROR_NOT_FOUND && !length);
    CHECK(iprof_frames_write(0, none, "csv", keep, NULL) == IPROF_ERROR_VALUE && strstr(iprof_error_message(), "trace or html"));
    CHECK(iprof_frames_write(0, none, NULL, keep, NULL) == IPROF_ERROR_NULL && iprof_frames_write(0, none, "trace", NULL, NULL) == IPROF_ERROR_NULL);
}

int main(void)
{
    /* Before any frame. */
    CHECK(iprof_frames_write(0, 9, "trace", keep, NULL) == IPROF_ERROR_NOT_FOUND);
    CHECK(!iprof_write_report_as("json", keep, NULL) && length);
    CHECK(iprof_show_thread_group("main") == IPROF_ERROR_NOT_FOUND);
    frame();
    CHECK(!iprof_set_average(0));
    keys();
    threads();
    fingers();
    columns();
    gpu_times();
    data();
    return 0;
}
