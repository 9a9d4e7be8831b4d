/* Random numbers per second, beside the bandwidth of memcpy in the same run. */
#include "base/pool.h"
#include "base/progress.h"
#include "base/threads.h"
#include "ireneo.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 1 << 24, ROUNDS = 5 };

typedef enum kind { COPY, NORMAL_FLOATS, NORMALS, UNIFORMS } kind;

static const struct {
    const char *name;
    size_t size;
} KINDS[] = {{"memcpy of float", sizeof(float)},
             {"normals, float", sizeof(float)},
             {"normals, double", sizeof(double)},
             {"uniforms, double", sizeof(double)}};

typedef struct copying {
    const char *from;
    char *to;
} copying;

static void copy_part(void *context, size_t first, size_t last) {
    const copying *c = context;
    memcpy(c->to + first, c->from + first, last - first);
}

static void copy_in_parts(const char *from, char *to, size_t bytes, int threads) {
    copying c = {from, to};
    ireneo_share_rows(bytes, bytes / (size_t)threads, threads, copy_part, &c);
}

/* Seconds of the best of a few rounds. */
static double measure(kind what, int threads, const char *from, void *to) {
    double best = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        double start = ireneo_seconds();
        switch (what) {
        case COPY:
            copy_in_parts(from, to, COUNT * sizeof(float), threads);
            break;
        case NORMAL_FLOATS:
            ireneo_random_normals_float(1, 0, 0, COUNT, threads, to);
            break;
        case NORMALS:
            ireneo_random_normals(1, 0, 0, COUNT, threads, to);
            break;
        case UNIFORMS:
            ireneo_random_uniforms(1, 0, 0, COUNT, threads, to);
            break;
        }
        best = fmin(best, ireneo_seconds() - start);
    }
    return best;
}

static void bench(int threads, const char *from, void *to) {
    double copy = measure(COPY, threads, from, to) / (double)(COUNT * sizeof(float));
    for (kind k = COPY; k <= UNIFORMS; k++) {
        double seconds = k == COPY ? copy * (double)(COUNT * sizeof(float)) : measure(k, threads, from, to);
        double bytes = (double)(COUNT * KINDS[k].size);
        printf("%2d thread%s  %-16s  %8.1f million a second  %6.2f GB/s written  %5.2f of memcpy\n", threads,
               threads == 1 ? " " : "s", KINDS[k].name, 1e-6 * COUNT / seconds, 1e-9 * bytes / seconds,
               copy * bytes / seconds);
    }
}

int main(void) {
    char *from = malloc(COUNT * sizeof(float)), *to = malloc(COUNT * sizeof(double));
    if (from == NULL || to == NULL) return 4;
    memset(from, 1, COUNT * sizeof(float));
    memset(to, 2, COUNT * sizeof(double));
    int all = ireneo_thread_count(0);
    bench(1, from, to);
    if (all > 1) bench(all, from, to);
    free(from);
    free(to);
    return 0;
}
