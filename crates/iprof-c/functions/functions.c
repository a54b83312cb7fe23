/* functions.c - turns every function in a program compiled with -finstrument-functions into a zone.
 *
 * The compiler makes each function call one hook on entry and a second one on exit. The hooks look up the function's
 * address in a lock-free hash table. On a function's first call, its name is looked up in the symbol table of its
 * program or library, and its zone is created and added to the hash table.
 *
 * If longjmp leaves a function, the second hook is not called. In that case, iprof_leave closes the function's zone
 * together with a caller's zone. Two kinds of calls are not recorded: calls that the program's allocator or a signal
 * handler makes while a function's zone is being created, and calls made after the thread has ended, in a
 * pthread_key_create or atexit function.
 *
 * This file requires Linux, ELF, and gcc or clang with gnu99 or later. */
#ifndef __linux__
#error "functions.c needs Linux: it reads the symbol tables of ELF files"
#endif
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
/* Accessing the variable must not allocate, since the allocator may have hooks. */
#define IPROF_TLS , tls_model("initial-exec")
#include "iprof.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define UNTRACED __attribute__((no_instrument_function))

UNTRACED void __cyg_profile_func_enter(void *function, void *caller);
UNTRACED void __cyg_profile_func_exit(void *function, void *caller);

/* This function exists only in programs that link a C++ library. */
extern char *__cxa_demangle(const char *name, char *buffer, size_t *length, int *status) __attribute__((weak));

/* Whether this thread is currently creating a zone. */
static __thread bool busy __attribute__((tls_model("initial-exec")));

/* Returns zeroed memory. Does not call malloc, which the program may have replaced with functions that have hooks. */
static UNTRACED void *new_pages(size_t size)
{
    void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return pages == MAP_FAILED ? NULL : pages;
}

/* ---- zones by address ---------------------------------------------------------------------------------------- */

struct slot {
    uintptr_t function; /* 0 if free; once set, it never changes */
    const void *made;   /* NULL if not yet known */
};

struct table {
    struct table *older; /* has half the size; never freed, since other threads may be reading it */
    struct slot *slots;
    size_t reserved; /* at least the slots in use, at most half of all slots, so a search always finds a free one */
    unsigned bits;   /* log2 of the number of slots */
};

#define FIRST_BITS 10
static struct slot first_slots[1 << FIRST_BITS];
static struct table first = {NULL, first_slots, 0, FIRST_BITS};
static struct table *newest = &first;

/* Returns the slot that contains the function, or the free slot where it belongs. */
static UNTRACED inline struct slot *slot_of(struct table *table, uintptr_t function)
{
    size_t mask = ((size_t)1 << table->bits) - 1;
    size_t at = (size_t)((uint64_t)function * UINT64_C(0x9E3779B97F4A7C15) >> (64 - table->bits));
    for (;; at = (at + 1) & mask) {
        uintptr_t held = __atomic_load_n(&table->slots[at].function, __ATOMIC_RELAXED);
        if (held == function || !held) return &table->slots[at];
    }
}

/* Returns NULL if the function is not in the table. */
static UNTRACED inline const void *made_in(struct table *table, uintptr_t function)
{
    struct slot *slot = slot_of(table, function);
    /* A free slot has no zone. If the slot was taken in the meantime, it may belong to a different function. */
    const void *made = __atomic_load_n(&slot->made, __ATOMIC_ACQUIRE);
    return made && __atomic_load_n(&slot->function, __ATOMIC_RELAXED) == function ? made : NULL;
}

static UNTRACED const void *known(uintptr_t function)
{
    struct table *table = __atomic_load_n(&newest, __ATOMIC_ACQUIRE);
    const void *made = NULL;
    for (; table && !made; table = table->older) made = made_in(table, function);
    return made;
}

static UNTRACED bool put(struct table *table, uintptr_t function, const void *made)
{
    if (__atomic_fetch_add(&table->reserved, 1, __ATOMIC_RELAXED) >= (size_t)1 << (table->bits - 1)) return false;
    for (;;) {
        struct slot *slot = slot_of(table, function);
        uintptr_t held = 0;
        if (__atomic_compare_exchange_n(&slot->function, &held, function, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
            held == function) {
            /* Threads that create a function's zone at the same time store the same pointer. Release: a reader that
             * sees the zone also sees the function. */
            __atomic_store_n(&slot->made, made, __ATOMIC_RELEASE);
            return true;
        }
    }
}

/* Returns false if there is no memory. */
static UNTRACED bool remember(uintptr_t function, const void *made)
{
    struct table *table = __atomic_load_n(&newest, __ATOMIC_ACQUIRE);
    while (!put(table, function, made)) {
        size_t size = sizeof(struct table) + sizeof(struct slot) * ((size_t)2 << table->bits);
        struct table *larger = new_pages(size);
        if (!larger) return false;
        larger->older = table;
        larger->slots = (struct slot *)(larger + 1);
        larger->bits = table->bits + 1;
        /* Release: a reader that sees the pointer also sees these fields. If another thread was first, use its
         * table. */
        if (__atomic_compare_exchange_n(&newest, &table, larger, false, __ATOMIC_RELEASE, __ATOMIC_ACQUIRE))
            table = larger;
        else
            munmap(larger, size);
    }
    return true;
}

/* ---- names --------------------------------------------------------------------------------------------------- */

struct symbol {
    ElfW(Addr) value;
    uint32_t name, file; /* offsets into the texts; `file` is 0 if unknown */
    unsigned char rank;  /* the symbol with the lowest rank is used if several have the same value */
};

struct object {
    struct object *next;
    ElfW(Addr) base;
    struct symbol *symbols; /* functions, sorted by address; the symbols and texts are never freed */
    size_t count;
    const char *texts;
    char path[PATH_MAX]; /* "" for the program */
};

static struct object *objects;

struct search {
    uintptr_t function;
    ElfW(Addr) base;
    const ElfW(Phdr) *headers;
    size_t header_count;
    char path[PATH_MAX];
};

/* The loader holds a lock during this call, so the function only copies data. */
static UNTRACED int has_function(struct dl_phdr_info *info, size_t size, void *context)
{
    struct search *search = context;
    size_t at, length = info->dlpi_name ? strlen(info->dlpi_name) : 0;
    (void)size;
    for (at = 0; at < info->dlpi_phnum; at++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[at];
        if (header->p_type != PT_LOAD || search->function - info->dlpi_addr - header->p_vaddr >= header->p_memsz) continue;
        if (length >= sizeof search->path) return 0;
        search->base = info->dlpi_addr;
        search->headers = info->dlpi_phdr;
        search->header_count = info->dlpi_phnum;
        if (length) memcpy(search->path, info->dlpi_name, length);
        search->path[length] = 0;
        return 1;
    }
    return 0;
}

/* Returns a part of a file, with a 0 appended. */
static UNTRACED void *part(int file, uint64_t offset, uint64_t size)
{
    char *bytes = size < SIZE_MAX ? new_pages((size_t)size + 1) : NULL;
    uint64_t done = 0;
    while (bytes && done < size) {
        ssize_t more = pread(file, bytes + done, (size_t)(size - done), (off_t)(offset + done));
        if (more > 0) {
            done += (uint64_t)more;
        } else if (more == 0 || errno != EINTR) {
            munmap(bytes, (size_t)size + 1);
            bytes = NULL;
        }
    }
    return bytes;
}

static UNTRACED int by_value(const void *left, const void *right)
{
    const struct symbol *a = left, *b = right;
    if (a->value != b->value) return a->value < b->value ? -1 : 1;
    if (a->rank != b->rank) return a->rank < b->rank ? -1 : 1;
    return a->name < b->name ? -1 : a->name > b->name;
}

/* Collects the functions in a symbol table. */
static UNTRACED void take_symbols(struct object *object, const ElfW(Sym) *all, size_t count, size_t text_size)
{
    uint32_t file = 0;
    size_t at;
    object->symbols = new_pages(sizeof(struct symbol) * count + 1);
    if (!object->symbols) return;
    for (at = 0; at < count; at++) {
        unsigned type = all[at].st_info & 15, binding = all[at].st_info >> 4; /* the same in 32 and 64 bits */
        if (all[at].st_name >= text_size) continue;
        if (type == STT_FILE) {
            file = all[at].st_name; /* belongs to the local symbols that follow */
        } else if ((type == STT_FUNC || type == STT_GNU_IFUNC) && all[at].st_value && all[at].st_name) {
            struct symbol *symbol = &object->symbols[object->count++];
            symbol->value = all[at].st_value;
            symbol->name = all[at].st_name;
            symbol->file = binding == STB_LOCAL ? file : 0;
            symbol->rank = binding == STB_GLOBAL ? 0 : binding == STB_WEAK ? 1 : 2;
        }
    }
    qsort(object->symbols, object->count, sizeof *object->symbols, by_value);
}

/* Reads the file's symbol table, if it has one and if this is the file that was loaded. */
static UNTRACED void read_symbols(struct object *object, const struct search *search)
{
    int file = open(*search->path ? search->path : "/proc/self/exe", O_RDONLY | O_CLOEXEC);
    size_t headers_size = search->header_count * sizeof(ElfW(Phdr)), sections_size = 0, at;
    ElfW(Ehdr) elf;
    ElfW(Shdr) *sections = NULL;
    void *headers = NULL;
    if (file < 0) return;
    if (pread(file, &elf, sizeof elf, 0) == (ssize_t)sizeof elf && !memcmp(elf.e_ident, ELFMAG, SELFMAG) &&
        elf.e_phnum == search->header_count && elf.e_shentsize == sizeof(ElfW(Shdr))) {
        headers = part(file, elf.e_phoff, headers_size);
        if (headers && !memcmp(headers, search->headers, headers_size)) {
            sections_size = elf.e_shnum * sizeof *sections;
            sections = part(file, elf.e_shoff, sections_size);
        }
    }
    for (at = 0; sections && at < elf.e_shnum; at++) {
        const ElfW(Shdr) *table = &sections[at], *texts;
        ElfW(Sym) *all;
        if (table->sh_type != SHT_SYMTAB || table->sh_link >= elf.e_shnum) continue;
        texts = &sections[table->sh_link];
        all = part(file, table->sh_offset, table->sh_size);
        object->texts = part(file, texts->sh_offset, texts->sh_size);
        if (all && object->texts)
            take_symbols(object, all, table->sh_size / sizeof *all, (size_t)texts->sh_size);
        if (all) munmap(all, table->sh_size + 1);
        break;
    }
    if (sections) munmap(sections, sections_size + 1);
    if (headers) munmap(headers, headers_size + 1);
    close(file);
}

static UNTRACED struct object *object_of(const struct search *search)
{
    /* Acquire: objects are seen as they were published. If two threads read the same file, both results are kept. */
    struct object *head = __atomic_load_n(&objects, __ATOMIC_ACQUIRE), *object = head;
    while (object && (object->base != search->base || strcmp(object->path, search->path))) object = object->next;
    if (object || !(object = new_pages(sizeof *object))) return object;
    object->base = search->base;
    strcpy(object->path, search->path);
    read_symbols(object, search);
    do object->next = head;
    while (!__atomic_compare_exchange_n(&objects, &head, object, false, __ATOMIC_RELEASE, __ATOMIC_ACQUIRE));
    return object;
}

static UNTRACED const struct symbol *symbol_of(const struct object *object, ElfW(Addr) value)
{
    size_t low = 0, high = object->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (object->symbols[middle].value < value) low = middle + 1;
        else high = middle;
    }
    return low < object->count && object->symbols[low].value == value ? &object->symbols[low] : NULL;
}

static UNTRACED const void *new_zone(uintptr_t function)
{
    struct search search = {.function = function};
    char offset[2 + 2 * sizeof function + 1], *demangled = NULL;
    iprof_zone zone = {NULL, NULL, 0, 0, NULL, 0};
    struct object *object = dl_iterate_phdr(has_function, &search) ? object_of(&search) : NULL;
    const struct symbol *symbol = object ? symbol_of(object, function - object->base) : NULL;
    Dl_info info;
    int status = 0;
    if (object && *object->path) zone.file = object->path;
    if (symbol) {
        zone.name = object->texts + symbol->name;
        if (symbol->file && object->texts[symbol->file]) zone.file = object->texts + symbol->file;
    } else if (dladdr((void *)function, &info) && info.dli_sname && (uintptr_t)info.dli_saddr == function) {
        zone.name = info.dli_sname;
    } else {
        snprintf(offset, sizeof offset, "0x%zx", (size_t)(function - search.base));
        zone.name = offset;
    }
    if (__cxa_demangle && zone.name[0] == '_' && zone.name[1] == 'Z')
        demangled = __cxa_demangle(zone.name, NULL, NULL, &status);
    if (demangled) zone.name = demangled;
    iprof_make_zone(&zone);
    free(demangled);
    return zone.made;
}

/* Returns NULL if there is no memory. */
static UNTRACED __attribute__((noinline)) const void *make(uintptr_t function)
{
    int error = errno, state;
    const void *made;
    /* The function can be NULL only if the program calls the hook directly. Address 0 marks free slots. */
    if (!function) return NULL;
    /* Prevent functions that are not cancellation points from becoming one. */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    busy = true;
    made = known(function);
    if (!made) made = new_zone(function);
    /* If the zone is not in the table, the exit hook would not find it. */
    if (!remember(function, made) && !known(function)) made = NULL;
    busy = false;
    pthread_setcancelstate(state, NULL);
    errno = error;
    return made;
}

/* ---- hooks --------------------------------------------------------------------------------------------------- */

void __cyg_profile_func_enter(void *function, void *caller)
{
    const void *made;
    (void)caller;
    if (busy) return;
    /* Acquire: a thread that sees the pointer also sees the table. */
    made = made_in(__atomic_load_n(&newest, __ATOMIC_ACQUIRE), (uintptr_t)function);
    iprof_begin(NULL, made ? made : make((uintptr_t)function));
}

void __cyg_profile_func_exit(void *function, void *caller)
{
    (void)caller;
    if (!busy) iprof_end_of(known((uintptr_t)function));
}
