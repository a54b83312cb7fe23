/* Opens two libraries in turn, which may lie at the same addresses, calls and closes them; reports between. Prints the sums. */
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

int main(int count, char **paths)
{
    int turn, at;
    for (turn = 0; turn < 3; turn++)
        for (at = 1; at < count; at++) {
            const iprof_report *report;
            use(paths[at]);
            iprof_update(true);
            report = iprof_report_new();
            CHECK(report && report->row_count);
            iprof_report_free(report);
            CHECK(!iprof_write_report(discard, NULL));
        }
    CHECK(!iprof_snapshot_write(NULL, "csv", iprof_to_file, stdout));
    return 0;
}
