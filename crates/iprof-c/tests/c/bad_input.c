/* What must not be passed, in the order in which it must not be: each call has a defined result. */
#include "iprof.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition) \
    do { if (!(condition)) { printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #condition, iprof_error_message()); exit(1); } } while (0)

static iprof_zone a = IPROF_ZONE("a"), b = IPROF_ZONE("b"), nameless = {NULL, NULL, 0, 0, NULL, 0};
static iprof_zone odd = IPROF_ZONE("caf\xE9\n;");
static iprof_value bodies = IPROF_VALUE("bodies", "body"), joules = IPROF_VALUE_IN_STEPS("energy", "J", 1000);
static iprof_value nothing = {NULL, NULL, 0, NULL};
static pthread_key_t key;

static void use_all(void)
{
    iprof_zone_begin(&a);
    iprof_zone_count(&b);
    iprof_value_add(&bodies, 3);
    iprof_value_add_double(&joules, 0.5);
    iprof_zone_end(&a);
    iprof_update(true);
    iprof_report_free(iprof_report_new());
}

static void at_the_end_of_the_thread(void *unused)
{
    (void)unused;
    use_all();
}

/* Runs while the program ends, and after. */
static void *endless(void *unused)
{
    static iprof_zone zone = IPROF_ZONE("endless");
    volatile bool goes_on = true;
    while (goes_on) {
        iprof_zone_begin(&zone);
        iprof_zone_end(&zone);
    }
    return unused;
}

static void after_main(void)
{
    use_all();
    CHECK(iprof_mark(NULL) == IPROF_ERROR_NULL && strstr(iprof_error_message(), "NULL"));
    printf("after main\n");
    CHECK(!iprof_snapshot_write(NULL, "csv", iprof_to_file, stdout));
}

static void *thread(void *unused)
{
    (void)unused;
    CHECK(!pthread_setspecific(key, &key));
    iprof_zone_begin(&a); /* and never ended */
    return NULL;
}

int main(void)
{
    iprof_frame_set set = {IPROF_ALL_FRAMES, false, 0, 0, NULL};
    iprof_drawing drawing;
    pthread_t worker;
    int round;
    CHECK(!strcmp(iprof_error_message(), ""));
    /* Before any frame, and before any zone. */
    CHECK(!atexit(after_main));
    iprof_report_free(iprof_report_new());
    CHECK(!iprof_write_report(iprof_to_file, stdout));
    iprof_end();
    iprof_zone_end(&a);
    iprof_draw_gl(0, 0, 100, 100, 2);
    iprof_draw_graph_gl(0, 0, 1, 1);
    iprof_draw_flame_gl(0, 0, 100, 100);
    iprof_draw_controls_gl(0, 0, 100, 100);
    iprof_draw_tooltip_gl();
    iprof_gl_destroy();
    CHECK(iprof_hit(0, 0, NULL, NULL) == 0);
    CHECK(iprof_set_scale(2) == IPROF_ERROR_NO_OVERLAY);
    /* NULL. */
    iprof_zone_begin(NULL);
    iprof_zone_count(NULL);
    iprof_zone_end(NULL);
    iprof_enter(NULL);
    iprof_leave(NULL);
    iprof_count(NULL);
    iprof_value_add(NULL, 1), iprof_value_add_double(NULL, 0.5), iprof_value_add(&nothing, 7);
    CHECK(!iprof_make_value(NULL) && nothing.made && nothing.made == iprof_make_value(&nothing));
    iprof_add(NULL, NULL, 7);
    CHECK(iprof_value_name(1000, NULL, 0) == 0 && iprof_value_unit((size_t)-1, NULL, 9) == 0);
    iprof_show_value("no such value");
    CHECK(iprof_shown_value(NULL, 0) == 13);
    iprof_show_value(NULL);
    CHECK(!iprof_open(NULL, NULL));
    iprof_close(NULL);
    iprof_report_free(NULL);
    iprof_snapshot_free(NULL);
    iprof_snapshot_free(iprof_snapshot_since(NULL, NULL));
    CHECK(iprof_mark(NULL) == IPROF_ERROR_NULL && strstr(iprof_error_message(), "NULL"));
    CHECK(iprof_set_timing(NULL) == IPROF_ERROR_NULL);
    CHECK(iprof_timing(NULL, 0) > 0 && iprof_timing(NULL, 100) > 0);
    CHECK(iprof_set_thread_name(NULL) == IPROF_ERROR_NULL);
    CHECK(iprof_select_zone(NULL) == IPROF_ERROR_NULL);
    CHECK(iprof_act_text(NULL) == IPROF_ERROR_NULL);
    CHECK(iprof_write_report(NULL, NULL) == IPROF_ERROR_NULL);
    CHECK(iprof_write_report(iprof_to_file, NULL) == IPROF_ERROR_IO);
    CHECK(iprof_snapshot_write(NULL, NULL, iprof_to_file, stdout) == IPROF_ERROR_NULL);
    CHECK(iprof_snapshot_write(NULL, "tree", NULL, NULL) == IPROF_ERROR_NULL);
    CHECK(iprof_snapshot_write_file(NULL, NULL) == IPROF_ERROR_NULL);
    CHECK(iprof_gl_init(NULL) == IPROF_ERROR_NULL);
    CHECK(iprof_drawing_data(0, NULL) == IPROF_ERROR_NULL);
    CHECK(iprof_drawing_data(0, &drawing) == IPROF_ERROR_NO_OVERLAY);
    CHECK(iprof_drawing_begin(0, 10) == IPROF_ERROR_VALUE && iprof_drawing_begin(10, -1.0f / 0.0f) == IPROF_ERROR_VALUE);
    iprof_draw_report(0, 0, 100, 100, -1);
    iprof_draw_graph(0, 0, 1, 1), iprof_draw_flame(0, 0, 1, 1), iprof_draw_controls(0, 0, 1, 1), iprof_draw_help(0, 0, 1, 1);
    iprof_draw_tooltip();
    iprof_drawing_destroy();
    iprof_gpu_zone_begin(NULL), iprof_gpu_zone_end(NULL), iprof_gpu_begin(NULL), iprof_gpu_end(NULL);
    CHECK(iprof_http_serve(NULL, NULL) == IPROF_ERROR_NULL && iprof_http_serve("here", NULL) == IPROF_ERROR_VALUE);
    iprof_http_stop();
    CHECK(!iprof_set_stall_file(NULL) && !iprof_last_stall(NULL, 7));
    CHECK(!iprof_on_slow_frame(NULL, NULL, 1) && iprof_on_slow_frame(NULL, NULL, 0.0 / 0.0) == IPROF_ERROR_VALUE);
    CHECK(iprof_settings_now(NULL) == IPROF_ERROR_NULL && iprof_filter(NULL, 9) == 0);
    CHECK(!iprof_key(NULL, 0) && !iprof_text(NULL));
    iprof_set_filter(NULL);
    iprof_view_free(NULL);
    iprof_view_use(NULL);
    iprof_sampled_free(NULL);
    CHECK(!iprof_sampling_finish() && strstr(iprof_error_message(), "no sampling session"));
    CHECK(iprof_show_set(NULL) == IPROF_ERROR_NULL && iprof_set_baseline_set(NULL) == IPROF_ERROR_NULL);
    set.kind = IPROF_MARKED;
    CHECK(iprof_show_set(&set) == IPROF_ERROR_NULL);
    CHECK(iprof_thread_name(1000, NULL, 0) == 0);
    CHECK(iprof_set_zone_budget(NULL, 1) == IPROF_ERROR_NULL && iprof_missed_frames(NULL) == IPROF_ERROR_NULL);
    CHECK(iprof_zone_budget(0, NULL) == IPROF_ERROR_NOT_FOUND && iprof_zone_budget_name(0, NULL, 3) == 0);
    /* Values that mean nothing. */
    set.kind = (iprof_frame_set_kind)77;
    CHECK(iprof_show_set(&set) == IPROF_ERROR_VALUE);
    set.kind = IPROF_LONGER_THAN, set.from = -1;
    CHECK(iprof_set_baseline_set(&set) == IPROF_ERROR_VALUE);
    set.kind = IPROF_SESSION_TIME;
    CHECK(iprof_show_set(&set) == IPROF_ERROR_VALUE);
    {
        const double limits[7] = {1, 2, 3, 4, 5, 6, -7};
        CHECK(iprof_set_session_bands(limits) == IPROF_ERROR_VALUE);
    }
    CHECK(iprof_set_baseline((iprof_baseline)9, 0) == IPROF_ERROR_VALUE);
    CHECK(iprof_set_sort((iprof_column_id)-2, false) == IPROF_ERROR_VALUE);
    CHECK(iprof_set_sort((iprof_column_id)99, false) == IPROF_ERROR_VALUE);
    CHECK(iprof_set_frame_budget(-1) == IPROF_ERROR_VALUE && iprof_set_frame_budget(0.0 / 1e-300) == IPROF_ERROR_VALUE);
    CHECK(iprof_set_zone_budget("a", -1) == IPROF_ERROR_VALUE && iprof_set_zone_budget("a", 0.0 / 1e-300 / 0.0) == IPROF_ERROR_VALUE);
    CHECK(!iprof_set_zone_budget("", 1) && !iprof_set_zone_budget("", 0) && iprof_zone_budget_count() == 0);
    iprof_set_refresh_rate(-1);
    CHECK(iprof_set_timing("often") == IPROF_ERROR_VALUE && strstr(iprof_error_message(), "often"));
    CHECK(iprof_set_report_mode((iprof_report_mode)99) == IPROF_ERROR_VALUE);
    CHECK(iprof_set_recursion((iprof_recursion)-1) == IPROF_ERROR_VALUE);
    CHECK(iprof_set_average(3) == IPROF_ERROR_VALUE);
    CHECK(iprof_act((iprof_action)0, 0) == IPROF_ERROR_VALUE);
    CHECK(iprof_act_text("explode") == IPROF_ERROR_VALUE);
    CHECK(iprof_act_text("move_cursor up") == IPROF_ERROR_VALUE);
    CHECK(iprof_snapshot_write(NULL, "odd", iprof_to_file, stdout) == IPROF_ERROR_VALUE);
    CHECK(iprof_show_frames(10, 20) == IPROF_ERROR_NOT_FOUND);
    CHECK(!iprof_act(IPROF_ACTION_MOVE_CURSOR, 1e300) && !iprof_act(IPROF_ACTION_ZOOM_GRAPH, 0.0 / 1e-300));
    iprof_value_add_double(&joules, 0.0 / 1e-300 / 0.0), iprof_value_add_double(&joules, 1.0 / 0.0);
    iprof_set_cursor(-5);
    iprof_set_frame(-5);
    iprof_move_frame(-1000000);
    /* Unbalanced. */
    for (round = 0; round < 3; round++) {
        iprof_zone_begin(&a);
        iprof_zone_begin(&b);
        iprof_zone_end(&a);
        iprof_zone_end(&b);
        iprof_zone_begin(&nameless);
        iprof_zone_begin(&odd);
        iprof_end();
        iprof_end();
        iprof_end();
        iprof_update(true);
    }
    /* From a thread that ends. */
    CHECK(!pthread_key_create(&key, at_the_end_of_the_thread));
    CHECK(!pthread_create(&worker, NULL, thread, NULL) && !pthread_join(worker, NULL));
    iprof_update(true);
    CHECK(!iprof_write_report(iprof_to_file, stdout));
    CHECK(!iprof_snapshot_write(NULL, "folded", iprof_to_file, stdout));
    CHECK(!pthread_create(&worker, NULL, endless, NULL) && !pthread_detach(worker));
    return 0;
}
