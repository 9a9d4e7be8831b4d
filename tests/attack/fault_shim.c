/* LD_PRELOAD shim: the k-th call of one class of functions fails. Counting begins at main.
 *
 * FAULT_CALL names the class (allocate, write, fsync, rename, mmap, open), FAULT_AT is k (0: none, only count);
 * FAULT_COUNTS names a file that receives the number of calls of each class. Children run without it. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ALLOCATE, WRITE, FSYNC, RENAME, MAP, OPEN, CLASSES };
static const char *const class_names[CLASSES] = {"allocate", "write", "fsync", "rename", "mmap", "open"};
static const int class_errors[CLASSES] = {ENOMEM, ENOSPC, EIO, EACCES, ENOMEM, EMFILE};

static atomic_long calls[CLASSES];
static atomic_bool counting;
static long fault_at;
static int fault_class = -1;
static char counts_path[4096];

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *block, size_t bytes);
extern void *__libc_memalign(size_t alignment, size_t bytes);

/* Whether this call is the one; errno says why it failed. */
static bool fails(int class) {
    if (!atomic_load(&counting)) return false;
    long number = atomic_fetch_add(&calls[class], 1) + 1;
    if (class != fault_class || number != fault_at) return false;
    errno = class_errors[class];
    return true;
}

static void *next(const char *name) {
    bool was = atomic_exchange(&counting, false);
    void *function = dlsym(RTLD_NEXT, name);
    atomic_store(&counting, was);
    return function;
}

static void write_counts(void) {
    atomic_store(&counting, false);
    FILE *file = counts_path[0] != '\0' ? fopen(counts_path, "we") : NULL;
    for (int class = 0; file != NULL && class < CLASSES; class ++)
        fprintf(file, "%s %ld\n", class_names[class], atomic_load(&calls[class]));
    if (file != NULL) fclose(file);
}

typedef int main_function(int, char **, char **);
static main_function *real_main;

static int counted_main(int argc, char **argv, char **environment) {
    const char *class = getenv("FAULT_CALL"), *at = getenv("FAULT_AT"), *counts = getenv("FAULT_COUNTS");
    fault_at = at != NULL ? strtol(at, NULL, 10) : 0;
    for (int k = 0; class != NULL && k < CLASSES; k++)
        if (strcmp(class, class_names[k]) == 0) fault_class = k;
    if (counts != NULL) snprintf(counts_path, sizeof counts_path, "%s", counts);
    unsetenv("LD_PRELOAD");
    atexit(write_counts);
    atomic_store(&counting, true);
    return real_main(argc, argv, environment);
}

int __libc_start_main(main_function *main, int argc, char **argv, void (*init)(void), void (*end)(void),
                      void (*loader)(void), void *stack);

int __libc_start_main(main_function *main, int argc, char **argv, void (*init)(void), void (*end)(void),
                      void (*loader)(void), void *stack) {
    int (*start)(main_function *, int, char **, void (*)(void), void (*)(void), void (*)(void), void *) =
        NULL;
    *(void **)&start = next("__libc_start_main");
    real_main = main;
    return start(counted_main, argc, argv, init, end, loader, stack);
}

void *malloc(size_t bytes) {
    return fails(ALLOCATE) ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes) {
    return fails(ALLOCATE) ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *block, size_t bytes) {
    return fails(ALLOCATE) ? NULL : __libc_realloc(block, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes) {
    return fails(ALLOCATE) ? NULL : __libc_memalign(alignment, bytes);
}

int posix_memalign(void **block, size_t alignment, size_t bytes) {
    if (fails(ALLOCATE)) return ENOMEM;
    *block = __libc_memalign(alignment, bytes);
    return *block != NULL ? 0 : ENOMEM;
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
    static ssize_t (*real)(int, const void *, size_t);
    if (real == NULL) *(void **)&real = next("write");
    return fails(WRITE) ? -1 : real(descriptor, bytes, count);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    static ssize_t (*real)(int, const void *, size_t, off_t);
    if (real == NULL) *(void **)&real = next("pwrite");
    return fails(WRITE) ? -1 : real(descriptor, bytes, count, offset);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
    static ssize_t (*real)(int, const void *, size_t, off64_t);
    if (real == NULL) *(void **)&real = next("pwrite64");
    return fails(WRITE) ? -1 : real(descriptor, bytes, count, offset);
}

int fsync(int descriptor) {
    static int (*real)(int);
    if (real == NULL) *(void **)&real = next("fsync");
    return fails(FSYNC) ? -1 : real(descriptor);
}

int fdatasync(int descriptor) {
    static int (*real)(int);
    if (real == NULL) *(void **)&real = next("fdatasync");
    return fails(FSYNC) ? -1 : real(descriptor);
}

int rename(const char *from, const char *to) {
    static int (*real)(const char *, const char *);
    if (real == NULL) *(void **)&real = next("rename");
    return fails(RENAME) ? -1 : real(from, to);
}

void *mmap(void *address, size_t bytes, int protection, int flags, int descriptor, off_t offset) {
    static void *(*real)(void *, size_t, int, int, int, off_t);
    if (real == NULL) *(void **)&real = next("mmap");
    return fails(MAP) ? MAP_FAILED : real(address, bytes, protection, flags, descriptor, offset);
}

static int open_next(const char *name, const char *path, int flags, mode_t mode) {
    int (*real)(const char *, int, ...) = NULL;
    *(void **)&real = next(name);
    return fails(OPEN) ? -1 : real(path, flags, mode);
}

#define OPEN_LIKE(name)                                                                                      \
    int name(const char *path, int flags, ...) {                                                             \
        va_list rest;                                                                                        \
        va_start(rest, flags);                                                                               \
        mode_t mode = (flags & (O_CREAT | __O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;                     \
        va_end(rest);                                                                                        \
        return open_next(#name, path, flags, mode);                                                          \
    }
OPEN_LIKE(open)
OPEN_LIKE(open64)

FILE *fopen(const char *path, const char *mode) {
    static FILE *(*real)(const char *, const char *);
    if (real == NULL) *(void **)&real = next("fopen");
    return fails(OPEN) ? NULL : real(path, mode);
}

int mkostemp(char *path, int flags) {
    static int (*real)(char *, int);
    if (real == NULL) *(void **)&real = next("mkostemp");
    return fails(OPEN) ? -1 : real(path, flags);
}
