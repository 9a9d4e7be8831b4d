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

typedef enum blas_kind { BLAS_OTHER, BLAS_OPENBLAS, BLAS_MKL, BLAS_BLIS } blas_kind;

/* The functions of one library; those of another stay NULL. */
static struct {
    blas_kind kind;
    int (*get_int)(void);
    void (*set_int)(int);
    int64_t (*get_wide)(void); /* BLIS counts in 64 bits, and says -1 when nobody set anything */
    void (*set_wide)(int64_t);
    char *(*version)(void);
    void (*write_version)(char *, int);
} blas;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* POSIX lets a pointer to data hold a function; C does not convert the two. */
#define LOOK_UP(where, name) (*(void **)(&(where)) = dlsym(RTLD_DEFAULT, name))

/* OpenBLAS by reference first: it may be inside this library, hidden (python/native). */
extern void openblas_set_num_threads(int num_threads) __attribute__((weak));
extern int openblas_get_num_threads(void) __attribute__((weak));
extern char *openblas_get_config(void) __attribute__((weak));

static void look_up_openblas(void) {
    blas.get_int = openblas_get_num_threads;
    blas.set_int = openblas_set_num_threads;
    blas.version = openblas_get_config;
    if (blas.get_int == NULL) LOOK_UP(blas.get_int, "openblas_get_num_threads");
    if (blas.set_int == NULL) LOOK_UP(blas.set_int, "openblas_set_num_threads");
    if (blas.version == NULL) LOOK_UP(blas.version, "openblas_get_config");
}

static void look_up(blas_kind kind) {
    memset(&blas, 0, sizeof blas);
    blas.kind = kind;
    switch (kind) {
    case BLAS_OPENBLAS:
        look_up_openblas();
        break;
    case BLAS_MKL:
        LOOK_UP(blas.get_int, "MKL_Get_Max_Threads");
        LOOK_UP(blas.set_int, "MKL_Set_Num_Threads");
        LOOK_UP(blas.write_version, "MKL_Get_Version_String");
        break;
    case BLAS_BLIS:
        LOOK_UP(blas.get_wide, "bli_thread_get_num_threads");
        LOOK_UP(blas.set_wide, "bli_thread_set_num_threads");
        LOOK_UP(blas.version, "bli_info_get_version_str");
        break;
    case BLAS_OTHER:
        break;
    }
}

/* The file that a function lies in. */
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

static bool is_controlled(void) {
    return (blas.get_int != NULL && blas.set_int != NULL) || (blas.get_wide != NULL && blas.set_wide != NULL);
}

/* Whether thread control and products lie in the same file, or the products' file is that library's by its path:
 * Debian's OpenBLAS spreads over two files when it stands in for libblas, and so does MKL. */
static bool has_products(void) {
    static const char *const words[] = {
        [BLAS_OPENBLAS] = "openblas", [BLAS_MKL] = "mkl", [BLAS_BLIS] = "blis"};
    Dl_info own, theirs;
    void *setter;
    memcpy(&setter, blas.kind == BLAS_BLIS ? (void *)&blas.set_wide : (void *)&blas.set_int, sizeof setter);
    if (!find_file(setter, &own) || !find_file(products(), &theirs)) return false;
    if (own.dli_fbase == theirs.dli_fbase) return true;
    char *path = realpath(theirs.dli_fname, NULL);
    bool named = path != NULL && strstr(path, words[blas.kind]) != NULL;
    free(path);
    return named;
}

/* A process may hold several: LAPACK brings its own. The one that has the products counts. */
static void find_library(void) {
    for (int kind = BLAS_OPENBLAS; kind <= BLAS_BLIS; kind++) {
        look_up((blas_kind)kind);
        if (is_controlled() && has_products()) return;
    }
    look_up(BLAS_OTHER);
}

const char *ireneo_blas_name(void) {
    static const char *const names[] = {
        [BLAS_OTHER] = "other", [BLAS_OPENBLAS] = "OpenBLAS", [BLAS_MKL] = "MKL", [BLAS_BLIS] = "BLIS"};
    pthread_once(&once, find_library);
    return names[blas.kind];
}

void ireneo_blas_version(char *text, size_t size) {
    pthread_once(&once, find_library);
    text[0] = '\0';
    if (blas.version != NULL)
        snprintf(text, size, "%s", blas.version());
    else if (blas.write_version != NULL)
        blas.write_version(text, (int)size);
    for (size_t end = strlen(text); end > 0 && text[end - 1] == ' ';) text[--end] = '\0';
}

char *ireneo_blas_file(void) {
    Dl_info place;
    return find_file(products(), &place) ? realpath(place.dli_fname, NULL) : NULL;
}

int ireneo_blas_threads(void) {
    pthread_once(&once, find_library);
    if (blas.kind == BLAS_BLIS) {
        int64_t count = blas.get_wide();
        return count >= 1 ? (int)count : 1;
    }
    return blas.kind != BLAS_OTHER ? blas.get_int() : 0;
}

void ireneo_blas_set_threads(int count) {
    pthread_once(&once, find_library);
    if (blas.kind == BLAS_BLIS)
        blas.set_wide(count);
    else if (blas.kind != BLAS_OTHER)
        blas.set_int(count);
}
