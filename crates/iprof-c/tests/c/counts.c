/* Zones whose report is checked to the counts, on two threads, with a snapshot and a file. */
#include "iprof.h"
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition) \
    do { if (!(condition)) { printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #condition, iprof_error_message()); exit(1); } } while (0)

static iprof_zone frame = IPROF_ZONE("frame"), physics = IPROF_ZONE("physics"), body = IPROF_ZONE("body");

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
        iprof_zone_end(&body);
    }
    iprof_zone_end(&physics);
    recurse(5);
    iprof_zone_end(&frame);
}

static void *thread(void *unused)
{
    (void)unused;
    iprof_set_thread_name("worker");
    work();
    return NULL;
}

/* The value of a zone's row in a column. */
static double value(const char *name, iprof_column_id id)
{
    const iprof_report *report = iprof_report_new();
    double found = NAN;
    size_t row, column;
    CHECK(report);
    for (row = 0; row < report->row_count; row++)
        for (column = 0; column < report->column_count; column++)
            if (!strncmp(report->rows[row].name, name, strlen(name)) && report->columns[column].id == id)
                found = report->rows[row].values[column];
    iprof_report_free(report);
    return found;
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

int main(int argc, char **argv)
{
    pthread_t worker;
    char timing[32], small[3];
    iprof_snapshot *before, *since;
    CHECK(argc == 2);
    CHECK(!iprof_set_timing("exact"));
    CHECK(iprof_timing(timing, sizeof timing) == 5 && !strcmp(timing, "exact"));
    CHECK(iprof_timing(small, sizeof small) == 5 && !strcmp(small, "ex"));
    iprof_update(true);
    before = iprof_snapshot_new();
    work();
    CHECK(!pthread_create(&worker, NULL, thread, NULL) && !pthread_join(worker, NULL));
    CHECK(!iprof_mark("worked"));
    iprof_update(true);
    CHECK(!iprof_set_average(0) && !iprof_set_report_mode(IPROF_SELF_TIME));
    CHECK(value("frame", IPROF_COLUMN_COUNT) == 2);
    CHECK(value("physics", IPROF_COLUMN_COUNT) == 2);
    CHECK(value("body", IPROF_COLUMN_COUNT) == 20);
    CHECK(value("contact", IPROF_COLUMN_COUNT) == 20);
    CHECK(value("recurse", IPROF_COLUMN_COUNT) == 10);
    CHECK(value("frame", IPROF_COLUMN_HIERARCHICAL_TIME) >= value("physics", IPROF_COLUMN_HIERARCHICAL_TIME));
    CHECK(!iprof_show_thread("worker"));
    CHECK(value("body", IPROF_COLUMN_COUNT) == 10);
    CHECK(!iprof_show_thread(NULL));
    CHECK(iprof_show_thread("nobody") == IPROF_ERROR_NOT_FOUND && strstr(iprof_error_message(), "nobody"));
    CHECK(!iprof_select_zone("physics"));
    CHECK(value("body", IPROF_COLUMN_COUNT) == 20 && value("frame", IPROF_COLUMN_COUNT) == 2);
    CHECK(!iprof_act(IPROF_ACTION_NEXT_REPORT_MODE, 0) && !iprof_act_text("move_cursor -1"));
    CHECK(!iprof_write_report(append, NULL) && strstr(text, "physics"));
    CHECK(iprof_write_report(refuse, NULL) == IPROF_ERROR_IO && strstr(iprof_error_message(), "7"));
    since = iprof_snapshot_since(NULL, before);
    text[0] = 0;
    CHECK(!iprof_snapshot_write(since, "folded", append, NULL) && strstr(text, "frame;physics;body"));
    CHECK(!iprof_snapshot_write_file(since, argv[1]));
    CHECK(iprof_snapshot_write_file(NULL, "/a.nothing") == IPROF_ERROR_VALUE);
    CHECK(iprof_snapshot_write_file(NULL, "/no/such/folder/a.txt") == IPROF_ERROR_IO);
    iprof_snapshot_free(before);
    iprof_snapshot_free(since);
    CHECK(!iprof_write_report(iprof_to_file, stdout));
    return 0;
}
