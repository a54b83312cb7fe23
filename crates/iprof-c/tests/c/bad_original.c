/* Misuses prof.h, always with a well-defined result: before any frame, without a name, unbalanced, in a thread that
 * ends, and after main. Prints the recorded data. */
#include "iprof.h"
#include "prof.h"
#include <pthread.h>
#include <stdlib.h>

#define CHECK(condition) \
    do { if (!(condition)) { printf("%s:%d: %s\n", __FILE__, __LINE__, #condition); exit(1); } } while (0)

Prof_Define(shared);

static Prof_Zone nameless = {NULL, NULL, 0, 0, NULL, 0}, empty = {"", NULL, 0, 0, NULL, 0};
static pthread_key_t key;
static int printed;

static void print_text(float x, float y, char *text)
{
    (void)x, (void)y, (void)text;
    printed++;
}

static float text_width(char *text)
{
    (void)text;
    return 1;
}

static void begun_and_ended(void)
{
    Prof_Begin(pair)
    Prof_Counter(counted)
    Prof_End
}

static void use_all(void)
{
    begun_and_ended();
    Prof_update(1);
    Prof_set_report_mode(Prof_SELF_TIME);
    Prof_draw_gl(0, 0, 70, 400, 10, 2, print_text, text_width);
}

static void at_the_end_of_the_thread(void *unused)
{
    (void)unused;
    use_all();
}

static void *thread(void *unused)
{
    CHECK(!pthread_setspecific(key, &key));
    { Prof_Region(shared) } /* never ended */
    return unused;
}

static void after_main(void)
{
    use_all();
    CHECK(!iprof_write_profile("csv", iprof_to_file, stdout));
}

int main(void)
{
    pthread_t worker;
    int before;
    CHECK(!atexit(after_main));
    /* Calls before the first frame and the first zone. */
    Prof_End
    Prof_draw_gl(0, 0, 70, 400, 10, 2, print_text, text_width);
    Prof_draw_graph_gl(0, 0, 1, 1);
    Prof_set_report_mode((Prof_Report_Mode)77), Prof_set_recursion((Prof_Recursion_Mode)-1), Prof_set_average(99), Prof_set_smoothing(-99);
    Prof_move_cursor(-1000000), Prof_set_cursor(-1), Prof_select(), Prof_select_parent();
    Prof_move_frame(1000000), Prof_move_frame(-1000000), Prof_set_frame(-1), Prof_set_frame(0);
    Prof_set_report_mode(Prof_SELF_TIME);
    /* Calls with NULL pointers, and with an area that has no room. */
    before = printed;
    Prof_draw_gl(0, 0, 70, 400, 10, 2, NULL, text_width);
    Prof_draw_gl(0, 0, 70, 400, 10, 2, print_text, NULL);
    Prof_draw_gl(0, 0, -1, -1, 10, 2, print_text, text_width);
    Prof_draw_gl((float)(0.0 / 1e-300 / 0.0), 0, 70, 400, (float)(0.0 / 1e-300 / 0.0), 2, print_text, text_width);
    CHECK(printed == before);
    CHECK(Prof_make(NULL) && Prof_make(NULL) == Prof_make(&nameless) && Prof_make(&nameless) == Prof_make(&empty));
    Prof_count(NULL), Prof_count(&nameless), Prof_count(&empty);
    /* Ends without a begin, and a begin that is closed only by its caller's end. */
    Prof_End
    begun_and_ended();
    {
        Prof_Begin(left)
        { Prof_Region(shared) }
        Prof_End /* closes shared, the innermost zone */
        Prof_End
        Prof_End /* closes nothing */
    }
    Prof_update(1);
    Prof_update(0);
    CHECK(!pthread_key_create(&key, at_the_end_of_the_thread));
    CHECK(!pthread_create(&worker, NULL, thread, NULL) && !pthread_join(worker, NULL));
    Prof_update(1);
    Prof_draw_gl(0, 0, 70, 400, 10, 2, print_text, text_width);
    CHECK(printed > before);
    return 0;
}
