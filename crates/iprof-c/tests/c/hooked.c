/* Compiled with -finstrument-functions, so all of its functions are zones. Uses static functions, recursion, threads,
 * longjmp, and a library's functions. */
#include "iprof.h"
#include <pthread.h>
#include <setjmp.h>

void in_library(void);

static jmp_buf back;

static int same(void) { return 1; }

static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

static void jump(int depth)
{
    if (depth == 0) longjmp(back, 1);
    if (depth > 0) jump(depth - 1);
}

static void jumped(void)
{
    if (!setjmp(back)) jump(2);
}

static void *worker(void *unused)
{
    int at;
    for (at = 0; at < 1000; at++) same();
    fib(15);
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    int at;
    for (at = 0; at < 2; at++)
        if (pthread_create(&threads[at], NULL, worker, NULL)) return 1;
    for (at = 0; at < 3; at++) jumped();
    in_library();
    fib(10);
    for (at = 0; at < 2; at++)
        if (pthread_join(threads[at], NULL)) return 2;
    return (int)iprof_write_profile("csv", iprof_to_file, stdout);
}
