/* Passes invalid arguments and makes calls in the wrong order. Each call has a well-defined result. */
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

static void ignore(void *context, const iprof_row *row)
{
    (void)context, (void)row;
}

static void use_all(void)
{
    iprof_zone_begin(&a);
    iprof_zone_count(&b);
    iprof_value_add(&bodies, 3);
    iprof_value_add_double(&joules, 0.5);
    iprof_zone_end(&a);
    iprof_update(true);
    CHECK(!iprof_report_rows(ignore, NULL));
}

static void at_the_end_of_the_thread(void *unused)
{
    (void)unused;
    use_all();
}

/* Runs until the program has ended. */
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
    CHECK(!iprof_write_profile("csv", iprof_to_file, stdout));
}

static void *thread(void *unused)
{
    (void)unused;
    CHECK(!pthread_setspecific(key, &key));
    iprof_zone_begin(&a); /* never ended */
    return NULL;
}

int main(void)
{
    iprof_drawing drawing;
    pthread_t worker;
    int round;
    CHECK(!strcmp(iprof_error_message(), ""));
    /* Calls before the first frame and the first zone. */
    CHECK(!atexit(after_main));
    CHECK(!iprof_write_report(iprof_to_file, stdout));
    iprof_end();
    iprof_zone_end(&a);
    iprof_draw_gl(0, 0, 100, 100, 2);
    iprof_draw_graph_gl(0, 0, 1, 1);
    iprof_draw_controls_gl(0, 0, 100, 100);
    iprof_draw_tooltip_gl();
    iprof_gl_destroy();
    CHECK(iprof_set_scale(2) == IPROF_ERROR_NO_OVERLAY);
    /* Calls with NULL. */
    iprof_zone_begin(NULL);
    iprof_zone_count(NULL);
    iprof_zone_end(NULL);
    iprof_enter(NULL);
    iprof_leave(NULL);
    iprof_count(NULL);
    iprof_value_add(NULL, 1), iprof_value_add_double(NULL, 0.5), iprof_value_add(&nothing, 7);
    CHECK(!iprof_make_value(NULL) && nothing.made && nothing.made == iprof_make_value(&nothing));
    iprof_add(NULL, NULL, 7);
    CHECK(!iprof_open(NULL, NULL));
    iprof_close(NULL);
    CHECK(iprof_mark(NULL) == IPROF_ERROR_NULL && strstr(iprof_error_message(), "NULL"));
    CHECK(iprof_set_timing(NULL) == IPROF_ERROR_NULL);
    CHECK(iprof_timing(NULL, 0) > 0 && iprof_timing(NULL, 100) > 0);
    CHECK(iprof_set_thread_name(NULL) == IPROF_ERROR_NULL);
    CHECK(iprof_act(NULL) == IPROF_ERROR_NULL);
    CHECK(iprof_write_report(NULL, NULL) == IPROF_ERROR_NULL);
    CHECK(iprof_write_report(iprof_to_file, NULL) == IPROF_ERROR_IO);
    CHECK(iprof_write_profile(NULL, iprof_to_file, stdout) == IPROF_ERROR_NULL);
    CHECK(iprof_write_profile("tree", NULL, NULL) == IPROF_ERROR_NULL);
    CHECK(iprof_gl_init(NULL) == IPROF_ERROR_NULL);
    CHECK(iprof_drawing_data(0, NULL) == IPROF_ERROR_NULL);
    CHECK(iprof_drawing_data(0, &drawing) == IPROF_ERROR_NO_OVERLAY);
    CHECK(iprof_drawing_begin(0, 10) == IPROF_ERROR_VALUE && iprof_drawing_begin(10, -1.0f / 0.0f) == IPROF_ERROR_VALUE);
    iprof_draw_report(0, 0, 100, 100, -1);
    iprof_draw_graph(0, 0, 1, 1), iprof_draw_controls(0, 0, 1, 1);
    iprof_drawing_destroy();
    iprof_gpu_zone_begin(NULL), iprof_gpu_zone_end(NULL), iprof_gpu_begin(NULL), iprof_gpu_end(NULL);
    CHECK(!iprof_on_slow_frame(NULL, NULL, 1) && iprof_on_slow_frame(NULL, NULL, 0.0 / 0.0) == IPROF_ERROR_VALUE);
    CHECK(!iprof_key(NULL, 0) && !iprof_text(NULL));
    CHECK(iprof_report_rows(NULL, NULL) == IPROF_ERROR_NULL && iprof_write_file(NULL) == IPROF_ERROR_NULL);
    CHECK(iprof_set_theme("dark") == IPROF_ERROR_NO_OVERLAY && iprof_set_font(NULL, 0) == IPROF_ERROR_NO_OVERLAY);
    CHECK(!iprof_gpu_timeline_begin(NULL) && iprof_gpu_timeline_end(NULL, 1) == IPROF_ERROR_NULL);
    CHECK(iprof_gpu_timeline_finish(NULL, 1, NULL) == IPROF_ERROR_NULL);
    iprof_gpu_timeline_free(NULL);
    CHECK(iprof_set_zone_budget(NULL, 1) == IPROF_ERROR_NULL);
    /* Invalid values. */
    CHECK(iprof_set_frame_budget(-1) == IPROF_ERROR_VALUE && iprof_set_frame_budget(0.0 / 1e-300) == IPROF_ERROR_VALUE);
    CHECK(iprof_set_zone_budget("a", -1) == IPROF_ERROR_VALUE && iprof_set_zone_budget("a", 0.0 / 1e-300 / 0.0) == IPROF_ERROR_VALUE);
    CHECK(!iprof_set_zone_budget("", 1) && !iprof_set_zone_budget("", 0));
    CHECK(iprof_set_timing("often") == IPROF_ERROR_VALUE && strstr(iprof_error_message(), "often"));
    CHECK(iprof_write_profile("odd", iprof_to_file, stdout) == IPROF_ERROR_VALUE);
    CHECK(iprof_act("explode") == IPROF_ERROR_VALUE && strstr(iprof_error_message(), "explode"));
    CHECK(iprof_act("move_cursor up") == IPROF_ERROR_VALUE && iprof_act("select 1") == IPROF_ERROR_VALUE);
    CHECK(iprof_act("set_report_mode 9") == IPROF_ERROR_VALUE && iprof_act("set_recursion 9") == IPROF_ERROR_VALUE);
    CHECK(!iprof_act("move_frame -1000000") && !iprof_act("set_cursor 1000000") && iprof_act("zoom_graph nan") == IPROF_ERROR_VALUE);
    CHECK(!iprof_act("set_frames 10 20") && !iprof_act("set_frames marked nothing") && !iprof_act("set_frames live"));
    CHECK(iprof_bind_key("", 0, "select") == IPROF_ERROR_VALUE && iprof_bind_key("F9", 16, "select") == IPROF_ERROR_VALUE);
    CHECK(iprof_bind_key(NULL, 0, "select") == IPROF_ERROR_NULL && iprof_bind_key("F9", 0, "explode") == IPROF_ERROR_VALUE);
    CHECK(iprof_set_stall_timeout(-1, NULL) == IPROF_ERROR_VALUE);
    iprof_value_add_double(&joules, 0.0 / 1e-300 / 0.0), iprof_value_add_double(&joules, 1.0 / 0.0);
    /* Unbalanced zones. */
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
    /* Calls in a thread that ends. */
    CHECK(!pthread_key_create(&key, at_the_end_of_the_thread));
    CHECK(!pthread_create(&worker, NULL, thread, NULL) && !pthread_join(worker, NULL));
    iprof_update(true);
    CHECK(!iprof_write_report(iprof_to_file, stdout));
    CHECK(!iprof_write_profile("folded", iprof_to_file, stdout));
    CHECK(!pthread_create(&worker, NULL, endless, NULL) && !pthread_detach(worker));
    return 0;
}
