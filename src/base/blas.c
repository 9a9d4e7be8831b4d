/* Thread control and version of the BLAS in use. Functions that only one library has are looked up by name in the
 * process: what was linked does not matter, and a BLAS that is exchanged later is served as well. */
#include "base/blas.h"

#include <cblas.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum blas_kind { BLAS_OPENBLAS, BLAS_MKL, BLAS_BLIS, BLAS_OTHER } blas_kind;

static const char *const names[] = {
    [BLAS_OPENBLAS] = "OpenBLAS", [BLAS_MKL] = "MKL", [BLAS_BLIS] = "BLIS", [BLAS_OTHER] = "other"};

/* The functions of one library; what it does not have stays NULL. */
typedef struct blas_library {
    int (*get_int)(void);
    void (*set_int)(int);
    int64_t (*get_wide)(void); /* BLIS counts in 64 bits, and says -1 when nobody set anything */
    void (*set_wide)(int64_t);
    char *(*version)(void);
    void (*write_version)(char *, int);
    bool used; /* by our products or by LAPACK */
} blas_library;

static blas_library libraries[IRENEO_BLAS_KINDS];
static blas_kind own = BLAS_OTHER; /* the one with the products */
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* ---- looking up ---- */

/* POSIX lets a pointer to data hold a function; C does not convert the two. */
#define LOOK_UP(where, name) (*(void **)(&(where)) = dlsym(RTLD_DEFAULT, name))

/* OpenBLAS by reference first: it may be inside this library, hidden (python/native). */
extern void openblas_set_num_threads(int num_threads) __attribute__((weak));
extern int openblas_get_num_threads(void) __attribute__((weak));
extern char *openblas_get_config(void) __attribute__((weak));

static void look_up_openblas(blas_library *b) {
    b->get_int = openblas_get_num_threads;
    b->set_int = openblas_set_num_threads;
    b->version = openblas_get_config;
    if (b->get_int == NULL) LOOK_UP(b->get_int, "openblas_get_num_threads");
    if (b->set_int == NULL) LOOK_UP(b->set_int, "openblas_set_num_threads");
    if (b->version == NULL) LOOK_UP(b->version, "openblas_get_config");
}

static void look_up_mkl(blas_library *b) {
    LOOK_UP(b->get_int, "MKL_Get_Max_Threads");
    LOOK_UP(b->set_int, "MKL_Set_Num_Threads");
    LOOK_UP(b->write_version, "MKL_Get_Version_String");
}

static void look_up_blis(blas_library *b) {
    LOOK_UP(b->get_wide, "bli_thread_get_num_threads");
    LOOK_UP(b->set_wide, "bli_thread_set_num_threads");
    LOOK_UP(b->version, "bli_info_get_version_str");
}

/* ---- which of them is used ---- */

static bool find_file(void *function, Dl_info *file) {
    return function != NULL && dladdr(function, file) != 0;
}

/* The products themselves, in a pointer to data. */
static void *products(void) {
    void (*function)(void) = (void (*)(void))cblas_sgemm;
    void *address;
    memcpy(&address, &function, sizeof address);
    return address;
}

/* Whether the function lies in the library: in one file with its thread control, or in a file that is the library's by its
 * path. Debian's OpenBLAS spreads over several files when it stands in for libblas and liblapack, and so does MKL. */
static bool holds(const blas_library *b, const char *word, void *function) {
    Dl_info control, file;
    void *setter;
    memcpy(&setter, b->set_wide != NULL ? (const void *)&b->set_wide : (const void *)&b->set_int,
           sizeof setter);
    if (!find_file(setter, &control) || !find_file(function, &file)) return false;
    if (control.dli_fbase == file.dli_fbase) return true;
    char *path = realpath(file.dli_fname, NULL);
    bool named = path != NULL && strstr(path, word) != NULL;
    free(path);
    return named;
}

static void find_libraries(void) {
    static const char *const words[] = {
        [BLAS_OPENBLAS] = "openblas", [BLAS_MKL] = "mkl", [BLAS_BLIS] = "blis"};
    void *lapack = dlsym(RTLD_DEFAULT, "dpotrf_"), *inside_lapack = dlsym(RTLD_DEFAULT, "dgemm_");
    look_up_openblas(&libraries[BLAS_OPENBLAS]);
    look_up_mkl(&libraries[BLAS_MKL]);
    look_up_blis(&libraries[BLAS_BLIS]);
    for (int kind = BLAS_BLIS; kind >= 0; kind--) {
        blas_library *b = &libraries[kind];
        if ((b->get_int == NULL || b->set_int == NULL) && (b->get_wide == NULL || b->set_wide == NULL))
            continue;
        if (holds(b, words[kind], products())) own = (blas_kind)kind;
        b->used =
            own == (blas_kind)kind || holds(b, words[kind], lapack) || holds(b, words[kind], inside_lapack);
    }
}

/* ---- threads ---- */

static int threads_of(const blas_library *b) {
    if (b->get_int != NULL) return b->get_int();
    int64_t count = b->get_wide();
    return count >= 1 ? (int)count : 1;
}

static void set_threads_of(const blas_library *b, int count) {
    if (b->set_int != NULL)
        b->set_int(count);
    else
        b->set_wide(count);
}

int ireneo_blas_threads(void) {
    pthread_once(&once, find_libraries);
    return own != BLAS_OTHER ? threads_of(&libraries[own]) : 0;
}

void ireneo_blas_set_threads(int count) {
    pthread_once(&once, find_libraries);
    if (own != BLAS_OTHER) set_threads_of(&libraries[own], count);
}

ireneo_blas_counts ireneo_blas_hold(void) {
    ireneo_blas_counts before = {{0}};
    pthread_once(&once, find_libraries);
    for (int kind = 0; kind < IRENEO_BLAS_KINDS; kind++) {
        if (!libraries[kind].used) continue;
        before.threads[kind] = threads_of(&libraries[kind]);
        if (before.threads[kind] > 1) set_threads_of(&libraries[kind], 1);
    }
    return before;
}

void ireneo_blas_release(const ireneo_blas_counts *before) {
    for (int kind = 0; kind < IRENEO_BLAS_KINDS; kind++)
        if (before->threads[kind] > 0 && threads_of(&libraries[kind]) != before->threads[kind])
            set_threads_of(&libraries[kind], before->threads[kind]);
}

/* ---- what it says of itself ---- */

const char *ireneo_blas_name(void) {
    pthread_once(&once, find_libraries);
    return names[own];
}

void ireneo_blas_version(char *text, size_t size) {
    pthread_once(&once, find_libraries);
    text[0] = '\0';
    if (own == BLAS_OTHER) return;
    if (libraries[own].version != NULL)
        snprintf(text, size, "%s", libraries[own].version());
    else if (libraries[own].write_version != NULL)
        libraries[own].write_version(text, (int)size);
    for (size_t end = strlen(text); end > 0 && text[end - 1] == ' ';) text[--end] = '\0';
}

char *ireneo_blas_file(void) {
    Dl_info place;
    return find_file(products(), &place) ? realpath(place.dli_fname, NULL) : NULL;
}
