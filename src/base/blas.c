/* Thread control and version of the BLAS in use. Functions that only one library has are looked up by name in the
 * process: what was linked does not matter, and a BLAS that is exchanged later is served as well. */
#include "base/blas.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
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

/* OpenBLAS by reference, found where its products are: it may be inside this library, hidden (python/native). */
extern void openblas_set_num_threads(int count) __attribute__((weak));
extern int openblas_get_num_threads(void) __attribute__((weak));
extern char *openblas_get_config(void) __attribute__((weak));

static void find_library(void) {
    if (openblas_get_num_threads && openblas_set_num_threads) {
        blas.kind = BLAS_OPENBLAS;
        blas.get_int = openblas_get_num_threads;
        blas.set_int = openblas_set_num_threads;
        blas.version = openblas_get_config;
    } else if (LOOK_UP(blas.get_wide, "bli_thread_get_num_threads") != NULL &&
               LOOK_UP(blas.set_wide, "bli_thread_set_num_threads") != NULL) {
        blas.kind = BLAS_BLIS;
        LOOK_UP(blas.version, "bli_info_get_version_str");
    } else if (LOOK_UP(blas.get_int, "MKL_Get_Max_Threads") != NULL &&
               LOOK_UP(blas.set_int, "MKL_Set_Num_Threads") != NULL) {
        blas.kind = BLAS_MKL;
        LOOK_UP(blas.write_version, "MKL_Get_Version_String");
    }
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

const char *ireneo_blas_file(void) {
    Dl_info place;
    void *function = dlsym(RTLD_DEFAULT, "cblas_sgemm");
    return function != NULL && dladdr(function, &place) != 0 ? place.dli_fname : NULL;
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
