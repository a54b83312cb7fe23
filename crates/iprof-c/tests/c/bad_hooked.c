/* Compiled with -finstrument-functions. Calls functions before main, at the end of a thread, and after main. Also
 * calls the hooks directly, unbalanced and with addresses that do not belong to functions. */
#include "iprof.h"
#include <pthread.h>
#include <stdlib.h>

#define BY_HAND __attribute__((no_instrument_function))

BY_HAND void __cyg_profile_func_enter(void *function, void *caller);
BY_HAND void __cyg_profile_func_exit(void *function, void *caller);

static pthread_key_t key;
static int calls;

static void called(void) { calls++; }

static void at_the_end_of_the_thread(void *unused)
{
    (void)unused;
    called();
}

static void *worker(void *unused)
{
    if (pthread_setspecific(key, &key)) exit(3);
    called();
    return unused;
}

__attribute__((constructor)) static void before_main(void) { called(); }

static void after_main(void)
{
    called();
    if (calls != 7 || iprof_write_profile("csv", iprof_to_file, stdout)) abort();
}

/* None of these is the address of a function. */
static void unbalanced(void)
{
    int at;
    for (at = 0; at < 3; at++) {
        __cyg_profile_func_enter(NULL, NULL);
        __cyg_profile_func_exit((void *)(uintptr_t)at, NULL);
        __cyg_profile_func_exit(NULL, NULL);
        called();
    }
    __cyg_profile_func_enter((void *)(uintptr_t)16, NULL); /* without a matching exit */
}

int main(void)
{
    pthread_t thread;
    if (atexit(after_main) || pthread_key_create(&key, at_the_end_of_the_thread)) return 1;
    unbalanced();
    if (pthread_create(&thread, NULL, worker, NULL) || pthread_join(thread, NULL)) return 2;
    return 0;
}
