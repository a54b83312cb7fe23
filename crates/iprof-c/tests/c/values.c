/* Named values: their sums against those that are added up here by zone, in random programs on two threads; which one is shown;
 * and numbers that are none. */
#include "iprof.h"
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition) \
    do { if (!(condition)) { printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #condition, iprof_error_message()); exit(1); } } while (0)

#define ZONES 4
#define THREADS 2
#define STEPS 1000

static iprof_value bodies = IPROF_VALUE("bodies", "body"), energy = IPROF_VALUE_IN_STEPS("energy", "J", STEPS);
static iprof_value same = IPROF_VALUE("bodies", "body");
static iprof_zone zones[ZONES] = {IPROF_ZONE("a"), IPROF_ZONE("b"), IPROF_ZONE("c"), IPROF_ZONE("d")};

/* The naive profiler: what was added to both while a zone was the innermost, and while it was open. */
typedef struct sums {
    long long state, self[ZONES][2], hier[ZONES][2];
} sums;
static sums of_threads[THREADS];

static unsigned below(sums *of, unsigned end)
{
    of->state = (long long)((unsigned long long)of->state * 6364136223846793005ULL + 1442695040888963407ULL);
    return (unsigned)((unsigned long long)of->state >> 33) % end;
}

static void add_to(iprof_value *value, int64_t units)
{
    iprof_value_add(value, units);
}

static void add(sums *of, const int *stack, int depth)
{
    long long units = (long long)below(of, 2000) - 500;
    double joules = ((int)below(of, 1000000) - 300000) / 7000.0;
    long long steps[2];
    int at, value;
    steps[0] = units;
    steps[1] = llround(joules * STEPS);
    switch (below(of, 4)) {
    case 0:
    case 1:
        add_to(below(of, 2) ? &bodies : &same, units), steps[1] = 0;
        break;
    case 2:
        /* By the same place. */
        add_to(&energy, units), steps[0] = 0, steps[1] = units * STEPS;
        break;
    default:
        iprof_value_add_double(&energy, joules), steps[0] = 0;
    }
    for (value = 0; value < 2; value++) {
        bool is_open[ZONES] = {false};
        of->self[stack[depth - 1]][value] += steps[value];
        for (at = 0; at < depth; at++) {
            if (!is_open[stack[at]]) of->hier[stack[at]][value] += steps[value];
            is_open[stack[at]] = true;
        }
    }
}

static void within(sums *of, int *stack, int depth)
{
    int times;
    if (depth == 6) return;
    for (times = 0; times < 3; times++) {
        stack[depth] = (int)below(of, ZONES);
        iprof_zone_begin(&zones[stack[depth]]);
        if (below(of, 4)) add(of, stack, depth + 1);
        within(of, stack, depth + 1);
        if (!below(of, 3)) add(of, stack, depth + 1);
        iprof_zone_end(&zones[stack[depth]]);
    }
}

static void *thread(void *of)
{
    int stack[6];
    within((sums *)of, stack, 0);
    return NULL;
}

/* A number of a zone's row; NaN without one. */
static double number(const char *zone, iprof_column_id id)
{
    const iprof_report *report = iprof_report_new();
    double found = NAN;
    size_t row, column;
    for (row = 0; row < report->row_count; row++)
        for (column = 0; column < report->column_count; column++)
            if (!strncmp(report->rows[row].name, zone, strlen(zone)) && report->columns[column].id == id)
                found = report->rows[row].values[column];
    iprof_report_free(report);
    return found;
}

/* Header and unit of a column; "" without it. */
static bool has_column(iprof_column_id id, const char *header, const char *unit)
{
    const iprof_report *report = iprof_report_new();
    bool found = false;
    size_t at;
    for (at = 0; at < report->column_count; at++)
        found = found || (report->columns[at].id == id && !strcmp(report->columns[at].header, header) && !strcmp(report->columns[at].unit, unit));
    iprof_report_free(report);
    return found;
}

static void compare(int value, double steps)
{
    static const char *const names[ZONES] = {"a", "b", "c", "d"};
    int zone, of;
    for (zone = 0; zone < ZONES; zone++) {
        long long self = 0, hier = 0;
        double ms, per_unit;
        for (of = 0; of < THREADS; of++) self += of_threads[of].self[zone][value], hier += of_threads[of].hier[zone][value];
        CHECK(!iprof_set_report_mode(IPROF_SELF_TIME));
        CHECK(self && number(names[zone], IPROF_COLUMN_VALUE) == (double)self / steps);
        CHECK(!iprof_set_report_mode(IPROF_HIERARCHICAL_TIME));
        CHECK(hier && number(names[zone], IPROF_COLUMN_VALUE) == (double)hier / steps);
        ms = number(names[zone], IPROF_COLUMN_HIERARCHICAL_TIME);
        per_unit = number(names[zone], IPROF_COLUMN_TIME_PER_UNIT) * (double)hier / steps;
        CHECK(ms > 0 && fabs(per_unit - ms) <= 1e-9 * ms);
    }
}

static char text[1 << 20];
static int keep(void *context, const char *bytes, size_t length)
{
    (void)context;
    strncat(text, bytes, length);
    return 0;
}

/* The sum of a value over all that was recorded since then, as text has it; NaN where it is 0. */
static double sum_since(const iprof_snapshot *before, const char *name)
{
    iprof_snapshot *since = iprof_snapshot_since(NULL, before);
    double sum = 0;
    bool found = false;
    char wanted[64];
    const char *at = text;
    text[0] = 0;
    CHECK(!iprof_snapshot_write(since, "tree", keep, NULL));
    iprof_snapshot_free(since);
    snprintf(wanted, sizeof wanted, "[%s ", name);
    for (; (at = strstr(at, wanted)); at++) sum += strtod(at + strlen(wanted), NULL), found = true;
    return found ? sum : NAN;
}

/* What is added to NaN, and beyond 64 bits; and where nothing is recorded. */
static void numbers_that_are_none(void)
{
    static iprof_value odd = IPROF_VALUE_IN_STEPS("odd", "", 1000), refused = IPROF_VALUE("refused", "");
    const double largest = 9223372036854775807.0 / 1000;
    static const struct { double units, sum; } cases[] = {
        {0.0004, 0}, {0.0006, 0.001}, {-0.0006, -0.001}, {-0.0004, 0}, {0.25, 0.25}, {-3, -3},
    };
    iprof_snapshot *before;
    size_t at;
    for (at = 0; at < sizeof cases / sizeof *cases; at++) {
        double sum;
        before = iprof_snapshot_new();
        iprof_zone_begin(&zones[0]);
        iprof_value_add_double(&odd, cases[at].units);
        iprof_value_add_double(&odd, NAN);
        iprof_zone_end(&zones[0]);
        sum = sum_since(before, "odd");
        CHECK(cases[at].sum == 0 ? isnan(sum) : sum == cases[at].sum);
        iprof_snapshot_free(before);
    }
    before = iprof_snapshot_new();
    iprof_value_add_double(&odd, INFINITY);
    CHECK(sum_since(before, "odd") == largest);
    iprof_snapshot_free(before);
    before = iprof_snapshot_new();
    iprof_value_add_double(&odd, -1e300);
    CHECK(sum_since(before, "odd") <= -largest);
    iprof_snapshot_free(before);
    /* Not recorded. */
    before = iprof_snapshot_new();
    CHECK(!iprof_set_timing("off"));
    iprof_value_add(&bodies, 5);
    CHECK(!iprof_set_timing("exact"));
    iprof_update(true), iprof_update(true); /* a frame in which timing was off is no part of anything */
    iprof_set_recording(false);
    iprof_value_add(&bodies, 7);
    iprof_set_recording(true);
    CHECK(isnan(sum_since(before, "bodies")));
    iprof_snapshot_free(before);
    before = iprof_snapshot_new();
    iprof_value_add(&bodies, 9);
    CHECK(sum_since(before, "bodies") == 9);
    iprof_snapshot_free(before);
    /* Beyond the limit, until there is a higher one. */
    iprof_set_zone_limit(0);
    iprof_value_add(&refused, 1);
    CHECK(!refused.made);
    iprof_set_zone_limit(10000);
    before = iprof_snapshot_new();
    iprof_value_add(&refused, 2);
    CHECK(refused.made && sum_since(before, "refused") == 2);
    iprof_snapshot_free(before);
}

int main(void)
{
    pthread_t worker;
    char name[16];
    CHECK(iprof_value_count() == 0 && iprof_value_name(0, name, sizeof name) == 0 && !*name);
    of_threads[1].state = 77;
    iprof_update(true);
    thread(&of_threads[0]);
    CHECK(!pthread_create(&worker, NULL, thread, &of_threads[1]) && !pthread_join(worker, NULL));
    iprof_update(true);
    CHECK(bodies.made == same.made && bodies.made != energy.made);
    CHECK(!iprof_set_average(0));
    CHECK(iprof_value_count() == 2);
    CHECK(iprof_value_name(1, name, 4) >= 6 && strlen(name) == 3);
    iprof_show_value("bodies");
    CHECK(iprof_shown_value(name, sizeof name) == 6 && !strcmp(name, "bodies"));
    compare(0, 1);
    CHECK(has_column(IPROF_COLUMN_VALUE, "bodies", "body") && has_column(IPROF_COLUMN_TIME_PER_UNIT, "ms/body", "ms"));
    iprof_show_value("energy");
    compare(1, STEPS);
    CHECK(has_column(IPROF_COLUMN_VALUE, "energy", "J"));
    /* By the key: times per frame, rescued frames, values per frame, none of these. */
    CHECK(!iprof_act_text("next_columns") && !iprof_act_text("next_columns"));
    CHECK(!has_column(IPROF_COLUMN_VALUE_P99, "p99 energy", "J") && !iprof_act_text("next_columns"));
    CHECK(has_column(IPROF_COLUMN_VALUE_P99, "p99 energy", "J") && number("a", IPROF_COLUMN_VALUE_MAX) > 0);
    CHECK(!iprof_act_text("next_columns") && !has_column(IPROF_COLUMN_VALUE_P99, "p99 energy", "J"));
    CHECK(!iprof_set_sort(IPROF_COLUMN_VALUE, false) && !iprof_set_baseline(IPROF_BASELINE_FRAME, 1));
    CHECK(has_column(IPROF_COLUMN_BASELINE_VALUE, "base energy", "J"));
    CHECK(!iprof_set_baseline(IPROF_NO_BASELINE, 0));
    iprof_show_value("");
    CHECK(iprof_shown_value(name, sizeof name) == 0 && isnan(number("a", IPROF_COLUMN_VALUE)));
    iprof_show_value(NULL);
    CHECK(iprof_value_name(0, name, sizeof name) == 6 && iprof_shown_value(text, sizeof text) == 6 && !strcmp(name, text));
    CHECK(iprof_value_unit(0, text, sizeof text) == (strcmp(name, "bodies") ? 1 : 4));
    CHECK(!isnan(number("a", IPROF_COLUMN_VALUE)));
    /* The next one, by the key. */
    CHECK(!iprof_act_text("next_value") && iprof_shown_value(text, sizeof text) == 6 && strcmp(name, text));
    iprof_show_value("later");
    CHECK(isnan(number("a", IPROF_COLUMN_VALUE)));
    IPROF_ADD("later", "", 3);
    iprof_zone_begin(&zones[0]);
    IPROF_ADD("later", "", 3);
    iprof_zone_end(&zones[0]);
    iprof_update(true);
    CHECK(number("a", IPROF_COLUMN_VALUE) == 3 && has_column(IPROF_COLUMN_TIME_PER_UNIT, "ms/unit", "ms"));
    numbers_that_are_none();
    return 0;
}
