/* iprof_inline.h - the inline functions that enter and leave zones, which are compiled into your program. iprof.h and
 * prof.h include this header.
 *
 * On Linux with gcc or clang, these functions handle zones that do not read the clock, and all zones while timing is
 * off. Everything else is a function call. The inline functions rely on the following:
 *
 * 1. The layout below matches the library's. The number in iprof_this_thread_1 changes with the layout, so programs
 *    built with a different layout do not link. `tests/programs.rs` compares each offset.
 * 2. iprof_this_thread_1 always returns the same address on a given thread. Each program or library that includes
 *    this header caches it per thread.
 * 3. Records and nodes are never freed. A thread's `record` belongs to that thread. The record's `current` is one of
 *    its nodes, or NULL before the first zone and after the thread has ended. Only the thread and its signal handlers
 *    write to the record.
 * 4. Recording is on for a thread if its `epoch` equals the program's epoch. The program's epoch has its lowest bit
 *    set while timing is off.
 * 5. A site's `node` is the child of its `parent` for the zone or value that the site used last. Both belong to this
 *    thread, or both are NULL. A node's `zone` is the result of iprof_make_zone or iprof_make_value. The node of a
 *    value is never current, and its `entries` are the value's sum.
 * 6. Other threads read concurrently. So `current` is stored before `entries`, both with release ordering. */
#ifndef IPROF_INLINE_H
#define IPROF_INLINE_H

#if defined(_WIN32) && defined(IPROF_SHARED)
#define IPROF_IMPORT __declspec(dllimport)
#else
#define IPROF_IMPORT
#endif
#ifdef __cplusplus
#define IPROF_API extern "C" IPROF_IMPORT
#else
#define IPROF_API extern IPROF_IMPORT
#endif

/* Exempts functions from the hooks inserted by -finstrument-functions. The exit hook would close the zone that such a
 * function opens for its caller. */
#ifdef __GNUC__
#define IPROF_NO_HOOKS __attribute__((no_instrument_function))
#define IPROF_INLINE static __inline __attribute__((unused, always_inline, no_instrument_function))
#define IPROF_LOAD(from) __atomic_load_n(from, __ATOMIC_ACQUIRE)
#else
#define IPROF_NO_HOOKS
#define IPROF_INLINE static __inline
#define IPROF_LOAD(from) (*(const void *const volatile *)(from))
#endif

struct iprof_node;
struct iprof_site;

/* The functions behind the inline ones, for calls from other languages. `made` is the result of iprof_make_zone; if
 * it is NULL, nothing happens. iprof_open returns NULL if the zone was not recorded, and iprof_close accepts NULL.
 * `site` may be NULL. */
IPROF_API void iprof_enter(const void *made);
IPROF_API void iprof_leave(const void *made);
IPROF_API void iprof_leave_innermost(void);
IPROF_API struct iprof_node *iprof_open(struct iprof_site *site, const void *made);
IPROF_API void iprof_close(struct iprof_node *opened);

/* Adds steps to a value. `made` is the result of iprof_make_value; if it is NULL, nothing happens. `site` may be
 * NULL. */
IPROF_API void iprof_add(struct iprof_site *site, const void *made, unsigned long long steps);

#if defined(__GNUC__) && defined(__linux__) && !defined(__ANDROID__)

struct iprof_node {
    unsigned long long ticks, started, entries;
    const void *zone;
    struct iprof_node *parent; /* NULL for the root */
    void *children[2];
    unsigned index;
    unsigned short pending_ends; /* number of unrecorded begins whose ends are pending */
    unsigned char class_, flags;
};

#define IPROF_TIMED 1
#define IPROF_HAS_PENDING_ENDS 2
#define IPROF_OFF 1

struct iprof_record {
    struct iprof_node *current;
};

struct iprof_thread {
    struct iprof_record *record;
    unsigned epoch;
    unsigned char is_recording_off;
    const unsigned *program_epoch;
};

/* A place in the source that enters a zone, on one thread. `node` is the child of `parent` that was last entered
 * there. */
struct iprof_site {
    struct iprof_node *parent, *node;
};

/* Returns the calling thread's state. The address stays the same for the thread's lifetime. */
IPROF_API const struct iprof_thread *iprof_this_thread_1(void);

/* Notes that the end of an unrecorded begin is pending. */
IPROF_API void iprof_expect_end(void);

/* The first enters a child of the current node. The second leaves the current node, which must have no pending ends.
 * Both read the clock. */
IPROF_API void iprof_open_node(struct iprof_record *record, struct iprof_node *node);
IPROF_API void iprof_close_node(struct iprof_record *record, struct iprof_node *node);

#ifndef IPROF_TLS
#define IPROF_TLS
#endif

/* The cached result of iprof_this_thread_1, per thread and per program or library. NULL until the thread needs it. */
__attribute__((weak, visibility("hidden") IPROF_TLS)) __thread const struct iprof_thread *iprof_thread_here = 0;

IPROF_INLINE const struct iprof_thread *iprof_thread(void)
{
    const struct iprof_thread *thread = iprof_thread_here;
    if (__builtin_expect(!thread, 0)) iprof_thread_here = thread = iprof_this_thread_1();
    return thread;
}

IPROF_INLINE void iprof_set_current(struct iprof_record *record, struct iprof_node *node)
{
    __atomic_store_n(&record->current, node, __ATOMIC_RELEASE);
}

/* Opens the zone while recording is on. No search is needed if the site entered the same zone from the same parent
 * last time. */
IPROF_INLINE struct iprof_node *iprof_opened_in(const struct iprof_thread *thread, unsigned epoch, struct iprof_site *site,
                                                const void *made)
{
    struct iprof_record *record = thread->record;
    struct iprof_node *node;
    if (__builtin_expect(!site || thread->epoch != epoch || !site->parent || record->current != site->parent, 0))
        return iprof_open(site, made);
    node = site->node;
    /* This site enters several zones, for example in a function that takes a zone. */
    if (__builtin_expect(node->zone != made, 0)) return iprof_open(site, made);
    if (__builtin_expect(node->flags & IPROF_TIMED, 0)) {
        iprof_open_node(record, node);
    } else {
        iprof_set_current(record, node);
        __atomic_store_n(&node->entries, node->entries + 1, __ATOMIC_RELEASE);
    }
    return node;
}

/* Opens a zone, to be closed with iprof_shut. `site` may be NULL. */
IPROF_INLINE struct iprof_node *iprof_opened(struct iprof_site *site, const void *made)
{
    const struct iprof_thread *thread = iprof_thread();
    unsigned epoch = __atomic_load_n(thread->program_epoch, __ATOMIC_RELAXED);
    return epoch & IPROF_OFF ? 0 : iprof_opened_in(thread, epoch, site, made);
}

IPROF_INLINE void iprof_shut(struct iprof_node *node)
{
    struct iprof_record *record;
    if (!node) return;
    record = iprof_thread()->record;
    if (__builtin_expect(record->current != node || node->flags & IPROF_HAS_PENDING_ENDS, 0))
        iprof_close(node);
    else if (__builtin_expect(node->flags, 0))
        iprof_close_node(record, node);
    else
        iprof_set_current(record, node->parent);
}

/* Stores constants where possible, so that in a loop, the next store doesn't have to wait for this load. */
IPROF_INLINE void iprof_add_pending_end(struct iprof_node *node)
{
    if (node->pending_ends) {
        node->pending_ends++;
    } else {
        node->pending_ends = 1;
        if (node->flags) __atomic_store_n(&node->flags, node->flags | IPROF_HAS_PENDING_ENDS, __ATOMIC_RELEASE);
        else __atomic_store_n(&node->flags, IPROF_HAS_PENDING_ENDS, __ATOMIC_RELEASE);
    }
}

IPROF_INLINE void iprof_take_pending_end(struct iprof_node *node)
{
    if (node->pending_ends != 1) {
        node->pending_ends--;
    } else {
        node->pending_ends = 0;
        if (node->flags & IPROF_TIMED) __atomic_store_n(&node->flags, IPROF_TIMED, __ATOMIC_RELEASE);
        else __atomic_store_n(&node->flags, 0, __ATOMIC_RELEASE);
    }
}

/* Opens a zone without a handle. If the zone is not recorded, the current node notes that an end is pending. */
IPROF_INLINE void iprof_begin(struct iprof_site *site, const void *made)
{
    const struct iprof_thread *thread = iprof_thread();
    unsigned epoch = __atomic_load_n(thread->program_epoch, __ATOMIC_RELAXED);
    struct iprof_node *node = thread->record->current;
    if (epoch & IPROF_OFF && node && node->pending_ends < 0xffff) {
        iprof_add_pending_end(node);
    } else if (epoch & IPROF_OFF || !iprof_opened_in(thread, epoch, site, made)) {
        iprof_expect_end();
    }
}

/* Consumes the pending end of an unrecorded begin or, if there is none, closes `node`. Returns 0 if `node` is the
 * root. */
IPROF_INLINE int iprof_ended(struct iprof_record *record, struct iprof_node *node)
{
    if (node->pending_ends) {
        iprof_take_pending_end(node);
        return 1;
    }
    if (!node->parent) return 0;
    if (__builtin_expect(node->flags, 0)) iprof_close_node(record, node);
    else iprof_set_current(record, node->parent);
    return 1;
}

IPROF_INLINE void iprof_end_of(const void *made)
{
    struct iprof_record *record = iprof_thread()->record;
    struct iprof_node *node = record->current;
    if (!node || (node->zone != made && !node->pending_ends) || !iprof_ended(record, node)) iprof_leave(made);
}

IPROF_INLINE void iprof_end_innermost(void)
{
    struct iprof_record *record = iprof_thread()->record;
    struct iprof_node *node = record->current;
    if (!node || !iprof_ended(record, node)) iprof_leave_innermost();
}

/* Adds steps to a value. No search is needed if the site added to the same value under the same parent last time. */
IPROF_INLINE void iprof_added(struct iprof_site *site, const void *made, unsigned long long steps)
{
    const struct iprof_thread *thread = iprof_thread();
    unsigned epoch = __atomic_load_n(thread->program_epoch, __ATOMIC_RELAXED);
    if (epoch & IPROF_OFF) return;
    if (__builtin_expect(!site || thread->epoch != epoch || !site->parent || thread->record->current != site->parent ||
                             site->node->zone != made, 0))
        iprof_add(site, made, steps);
    else
        __atomic_store_n(&site->node->entries, site->node->entries + steps, __ATOMIC_RELEASE);
}

#define IPROF_SITE static __thread struct iprof_site

#else

struct iprof_site {
    char unused;
};

#define IPROF_SITE static struct iprof_site
/* The site is not used here, because it has no room for the library's data. */
#define iprof_opened(site, made) ((void)(site), iprof_open(NULL, made))
#define iprof_added(site, made, steps) ((void)(site), iprof_add(NULL, made, steps))
#define iprof_shut iprof_close
#define iprof_begin(site, made) ((void)(site), iprof_enter(made))
#define iprof_end_of iprof_leave
#define iprof_end_innermost iprof_leave_innermost

#endif
#endif /* IPROF_INLINE_H */
