/* Opens two libraries in turn, possibly at the same addresses, calls and closes them, and creates reports in between.
 * Prints the sums. */
#include "iprof.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

#define CHECK(condition) \
    do { if (!(condition)) { printf("%s:%d: %s\n", __FILE__, __LINE__, #condition); exit(1); } } while (0)

typedef const void *(*function)(void);

static void *call(void *called)
{
    (*(function *)called)();
    return NULL;
}

static void use(const char *path)
{
    pthread_t worker;
    function called;
    void *library = dlopen(path, RTLD_NOW);
    if (!library) printf("%s\n", dlerror());
    CHECK(library);
    *(void **)&called = dlsym(library, "unloaded");
    CHECK(called);
    called();
    CHECK(!pthread_create(&worker, NULL, call, &called) && !pthread_join(worker, NULL));
    CHECK(!dlclose(library));
    CHECK(!dlopen(path, RTLD_NOW | RTLD_NOLOAD));
}

static int discard(void *context, const char *bytes, size_t length)
{
    (void)context, (void)bytes, (void)length;
    return 0;
}

static void count_row(void *context, const iprof_row *row)
{
    *(int *)context += row->name != NULL;
}

int main(int count, char **paths)
{
    int turn, at;
    for (turn = 0; turn < 3; turn++)
        for (at = 1; at < count; at++) {
            int rows = 0;
            use(paths[at]);
            iprof_update(true);
            CHECK(!iprof_report_rows(count_row, &rows) && rows);
            CHECK(!iprof_write_report(discard, NULL));
        }
    CHECK(!iprof_write_profile("csv", iprof_to_file, stdout));
    return 0;
}
