/* A view of one's own beside the default one, sets of frames, baselines, and a sampling session. */
#include "iprof.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CHECK(condition) \
    do { if (!(condition)) { printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #condition, iprof_error_message()); exit(1); } } while (0)

static void wait_for(double ms)
{
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do clock_gettime(CLOCK_MONOTONIC, &now);
    while ((double)(now.tv_sec - begin.tv_sec) * 1e3 + (double)(now.tv_nsec - begin.tv_nsec) / 1e6 < ms);
}

static void frame(int times)
{
    static iprof_zone step = IPROF_ZONE("step");
    int at;
    for (at = 0; at < times; at++) {
        iprof_zone_begin(&step);
        wait_for(1);
        iprof_zone_end(&step);
    }
    if (times > 5) CHECK(!iprof_mark("slow"));
    iprof_update(true);
}

/* The value of the zone "step"; what is not there is -1. */
static double value(iprof_column_id id)
{
    const iprof_report *report = iprof_report_new();
    double found = -1;
    size_t row, column;
    for (row = 0; row < report->row_count; row++)
        for (column = 0; column < report->column_count; column++)
            if (!strcmp(report->rows[row].name, "step") && report->columns[column].id == id)
                found = report->rows[row].values[column];
    iprof_report_free(report);
    return (int)(found * 1000 + (found < 0 ? -0.5 : 0.5)) / 1000.0; /* a mean is not exact */
}

static size_t title_has(const char *text)
{
    const iprof_report *report = iprof_report_new();
    size_t at, found = 0;
    for (at = 0; at < report->title_count; at++) found += strstr(report->title[at], text) != NULL;
    iprof_report_free(report);
    return found;
}

/* What "step" took, and how often it took too long. */
static const iprof_row *step_of(const iprof_report *report)
{
    size_t row;
    for (row = 0; row < report->row_count; row++)
        if (!strcmp(report->rows[row].name, "step")) return &report->rows[row];
    return NULL;
}

static void budgets(void)
{
    static iprof_zone limited = IPROF_ZONE_BUDGET("limited", 0.25);
    const iprof_report *report;
    const iprof_row *step;
    const iprof_view *view = iprof_view_new();
    iprof_budget budget;
    char name[8];
    int at;
    iprof_view_use(view);
    CHECK(!iprof_set_average(0));
    CHECK(!iprof_set_zone_budget("step", 8) && !iprof_set_zone_budget("limited", 0) && !iprof_set_frame_budget(8));
    for (at = 0; at < 4; at++) frame(at % 2 ? 60 : 2);
    CHECK(iprof_zone_budget_count() == 1 && iprof_zone_budget_name(0, name, sizeof name) == 4 && !strcmp(name, "step"));
    CHECK(!iprof_zone_budget(0, &budget) && budget.limit_ms == 8 && budget.frames == 4 && budget.misses >= 2);
    CHECK(iprof_zone_budget(1, &budget) == IPROF_ERROR_NOT_FOUND && strstr(iprof_error_message(), "1 zones"));
    CHECK(iprof_zone_budget(0, NULL) == IPROF_ERROR_NULL);
    CHECK(!iprof_missed_frames(&budget) && budget.limit_ms == 8 && budget.frames == 4 && budget.misses >= 2);
    report = iprof_report_new();
    step = step_of(report);
    CHECK(step && step->flags & IPROF_ROW_OVER_BUDGET && step->budget && step->budget->misses >= 2 && step->budget->limit_ms == 8);
    iprof_report_free(report);
    /* What stands in the code, until it was taken away; a limit that nothing exceeds. */
    CHECK(!iprof_set_zone_budget("step", 3.6e6));
    iprof_zone_begin(&limited);
    wait_for(1);
    iprof_zone_end(&limited);
    frame(2);
    CHECK(iprof_zone_budget_count() == 1 && !iprof_zone_budget(0, &budget) && budget.frames == 1 && budget.misses == 0);
    {
        IPROF_SCOPE_BUDGET("scope", 0.25);
        wait_for(1);
    }
    frame(2);
    CHECK(iprof_zone_budget_count() == 2 && !iprof_zone_budget(1, &budget));
    CHECK(budget.limit_ms == 0.25 && budget.frames == 1 && budget.misses == 1);
    report = iprof_report_new();
    step = step_of(report);
    CHECK(step && !(step->flags & IPROF_ROW_OVER_BUDGET) && step->budget && step->budget->misses == 0);
    iprof_report_free(report);
    CHECK(!iprof_set_zone_budget("step", 0) && !iprof_set_zone_budget("scope", 0) && iprof_zone_budget_count() == 0);
    iprof_view_use(NULL);
    iprof_view_free(view);
}

static int use_default(void *context, const char *bytes, size_t length)
{
    (void)bytes, (void)length;
    iprof_set_filter(context); /* a call about the same view */
    return 0;
}

/* What was set is what is read. */
static void settings(void)
{
    iprof_settings now;
    char text[16];
    CHECK(iprof_settings_now(NULL) == IPROF_ERROR_NULL);
    CHECK(!iprof_settings_now(&now));
    CHECK(now.mode == IPROF_SELF_TIME && now.sort == IPROF_COLUMN_OTHER && !now.is_sort_reversed && now.min_share == 0);
    CHECK(!iprof_set_report_mode(IPROF_CALL_TREE) && !iprof_set_recursion(IPROF_SPREAD_RECURSION) && !iprof_set_average(2));
    CHECK(!iprof_set_sort(IPROF_COLUMN_COUNT, true));
    iprof_set_grouping(true), iprof_set_idle_ranked(true), iprof_set_net_times(true), iprof_set_min_share(0.25);
    iprof_set_filter("step");
    CHECK(!iprof_settings_now(&now));
    CHECK(now.mode == IPROF_CALL_TREE && now.recursion == IPROF_SPREAD_RECURSION && now.average == 2);
    CHECK(now.sort == IPROF_COLUMN_COUNT && now.is_sort_reversed && now.is_grouped && now.is_idle_ranked && now.are_times_net);
    CHECK(now.min_share == 0.25);
    CHECK(iprof_filter(text, sizeof text) == 4 && !strcmp(text, "step"));
    CHECK(!iprof_set_sort(IPROF_BY_NAME, false) && !iprof_settings_now(&now) && now.sort == IPROF_BY_NAME);
}

int main(void)
{
    const iprof_view *set_up = iprof_view_new();
    iprof_view_use(set_up);
    settings();
    iprof_view_use(NULL);
    iprof_view_free(set_up);
    const iprof_view *own = iprof_view_new();
    iprof_frame_set set = {IPROF_MARKED, false, 0, 0, "slow"};
    const iprof_sampled *sampled;
    bool has_step = false;
    char name[8];
    size_t row;
    int at;
    /* The first frame takes long where code is translated as it runs; frame numbers go on. */
    frame(2);
    CHECK(value(IPROF_COLUMN_COUNT) == 2);
    iprof_reset();
    for (at = 0; at < 12; at++) frame(at % 4 == 3 ? 60 : 2);
    CHECK(iprof_thread_count() == 1 && iprof_thread_name(0, name, sizeof name) > 0 && *name);
    CHECK(iprof_set_average(0) == IPROF_OK);
    CHECK(own && value(IPROF_COLUMN_COUNT) == 60);
    /* The view's own frames and order. */
    iprof_view_use(own);
    CHECK(!iprof_show_set(&set) && value(IPROF_COLUMN_COUNT) == 60 && title_has("slow"));
    set.is_complement = true;
    CHECK(!iprof_show_set(&set) && value(IPROF_COLUMN_COUNT) == 2);
    CHECK(!iprof_set_baseline(IPROF_BASELINE_REST, 0));
    CHECK(value(IPROF_COLUMN_BASELINE_COUNT) == 60 && value(IPROF_COLUMN_DIFFERENCE) < 0);
    set.is_complement = false;
    CHECK(!iprof_set_baseline_set(&set) && value(IPROF_COLUMN_BASELINE_COUNT) == 60);
    CHECK(!iprof_set_baseline(IPROF_BASELINE_FRAME, 0) && value(IPROF_COLUMN_BASELINE_COUNT) >= 0);
    CHECK(!iprof_set_baseline(IPROF_NO_BASELINE, 0) && value(IPROF_COLUMN_BASELINE_COUNT) == -1);
    set.kind = IPROF_SLOWEST, set.from = 3;
    CHECK(!iprof_show_set(&set) && value(IPROF_COLUMN_COUNT) == 60);
    set.kind = IPROF_ALL_FRAMES;
    CHECK(!iprof_show_set(&set) && value(IPROF_COLUMN_COUNT) == 16.5);
    set.kind = IPROF_FRAME_NUMBERS, set.from = 1, set.to = 2;
    CHECK(!iprof_show_set(&set) && value(IPROF_COLUMN_COUNT) == 2);
    /* The whole session. */
    set.kind = IPROF_SESSION_TIME, set.from = 0, set.to = 1e9;
    CHECK(!iprof_show_set(&set) && value(IPROF_COLUMN_COUNT) == 16.5 && title_has("session"));
    CHECK(!iprof_set_baseline_set(&set) && value(IPROF_COLUMN_BASELINE_COUNT) == 16.5);
    CHECK(!iprof_set_baseline(IPROF_NO_BASELINE, 0));
    set.kind = IPROF_SESSION_BANDS, set.from = 0, set.to = 7;
    CHECK(!iprof_show_set(&set) && value(IPROF_COLUMN_COUNT) == 16.5 && title_has("session"));
    set.is_complement = true;
    CHECK(iprof_show_set(&set) == IPROF_ERROR_NOT_FOUND);
    set.is_complement = false;
    set.kind = IPROF_SESSION_SLOWEST_PERCENT, set.from = 100;
    CHECK(!iprof_show_set(&set) && value(IPROF_COLUMN_COUNT) == 16.5 && title_has("the slowest 100 % of frames"));
    CHECK(!iprof_set_session_bands(NULL));
    set.kind = IPROF_SESSION_ALL;
    CHECK(!iprof_show_set(&set) && value(IPROF_COLUMN_COUNT) == 16.5 && title_has("session: all frames"));
    set.kind = IPROF_FRAME_NUMBERS, set.from = 1, set.to = 2;
    CHECK(!iprof_show_set(&set) && value(IPROF_COLUMN_COUNT) == 2);
    CHECK(!iprof_set_sort(IPROF_COLUMN_COUNT, false) && !iprof_act(IPROF_ACTION_MOVE_CURSOR, 1));
    CHECK(!iprof_write_report(use_default, NULL));
    iprof_set_grouping(true), iprof_set_idle_ranked(true), iprof_set_net_times(false);
    /* None of it is the default view's. */
    iprof_view_use(NULL);
    CHECK(value(IPROF_COLUMN_COUNT) == 60 && !title_has("slow"));
    /* A view that is freed while it is used. */
    iprof_view_use(own);
    iprof_view_free(own);
    CHECK(value(IPROF_COLUMN_COUNT) == 2);
    iprof_view_use(NULL);
    /* Frames over the budget against the rest. */
    CHECK(!iprof_set_frame_budget(8) && iprof_frame_budget() == 8);
    CHECK(!iprof_act(IPROF_ACTION_COMPARE_SLOW_FRAMES, 0) && value(IPROF_COLUMN_COUNT) > 2);
    budgets();
    /* A session, whatever the timing is. */
    CHECK(!iprof_set_timing("off") && !iprof_sampling_start(2000));
    CHECK(iprof_sampling_start(2000) == IPROF_ERROR_BUSY);
    for (at = 0; at < 10; at++) frame(10);
    sampled = iprof_sampling_finish();
    CHECK(sampled && sampled->samples > 10 && sampled->threads >= 1);
    for (row = 0; row < sampled->row_count; row++)
        has_step = has_step || (!strcmp(sampled->rows[row].name, "step") && sampled->rows[row].samples * 2 > sampled->samples);
    CHECK(has_step);
    iprof_sampled_free(sampled);
    return 0;
}
