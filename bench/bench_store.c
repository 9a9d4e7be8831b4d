/* Store at 0.95 of the law, in units of one plain sgemm score pass of the same size, and where the time goes.
 * Arguments: triples "dim load draws", where a load beyond 2 is a number of facts (default 100, 200, 400 and 1000 at
 * 0.95). */
#include "base/progress.h"
#include "base/ram.h"
#include "base/threads.h"
#include "ireneo.h"
#include "plain_pass.h"

#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int bench(size_t dim, double load, size_t seeds) {
    ireneo_shape shape = {.dim_in = dim, .dim_out = dim};
    ireneo_capacity_report report;
    if (ireneo_capacity(&shape, &report) != IRENEO_OK) return 1;
    size_t n = (size_t)(load > 2.0 ? load : load * report.facts_capacity_decoupled);
    int threads = ireneo_thread_count(0), bad = 0;
    float *keys = malloc(n * dim * sizeof *keys), *values = malloc(n * dim * sizeof *values);
    if (keys == NULL || values == NULL) exit(4);
    for (size_t seed = 1; seed <= seeds; seed++) {
        ireneo_sample sample = {seed, dim, dim};
        ireneo_sample_keys(&sample, 0, n, keys);
        ireneo_sample_values(&sample, 0, n, values);
        ireneo_facts facts = {
            .facts = n, .candidates = n, .dim_in = dim, .dim_out = dim, .keys = keys, .values = values};
        ireneo_memory *memory = NULL;
        ireneo_store_info info, fastest = {0};
        double pass = INFINITY, best = INFINITY;
        /* Passes and stores take turns, so that a busy minute of the machine slows both down. */
        for (int k = 0; k < (n < 3000 ? 20 : n < 20000 ? 3 : 1); k++) {
            pass = fmin(pass, plain_pass(keys, NULL, values, n, n, dim, threads));
            ireneo_memory_free(memory);
            if (ireneo_store(&facts, NULL, &memory, NULL, &info) != IRENEO_OK) {
                fprintf(stderr, "%s\n", ireneo_last_error());
                exit(1);
            }
            if (info.seconds < best) fastest = info;
            best = fmin(best, info.seconds);
        }
        info = fastest;
        const ireneo_store_phases *p = &info.phases;
        printf("d %4zu  n %6zu  seed %zu  %-10s recalled %zu  pass %.6f s  store %.6f s = %.2f passes  scans "
               "%zu  iterations %zu\n",
               dim, n, seed, ireneo_status_name(info.status), info.recalled, pass, best, best / pass,
               info.scans, info.iterations);
        printf("       in passes: whiten %.2f start %.2f scan %.2f check %.2f direction %.2f line %.2f "
               "gradient %.2f history %.2f; peak %.2f GB, input %.2f GB\n",
               p->whiten / pass, p->start / pass, p->scan / pass, p->check / pass, p->direction / pass,
               p->line_search / pass, p->gradient / pass, p->history / pass, (double)info.peak_bytes / 1e9,
               2.0 * (double)n * (double)dim * sizeof *keys / 1e9);
        fflush(stdout);
        if (info.status != IRENEO_STATUS_STORED) bad = 1;
        ireneo_memory_free(memory);
    }
    free(keys);
    free(values);
    return bad;
}

int main(int argc, char **argv) {
    mallopt(M_TRIM_THRESHOLD, 256 << 20); /* as the program does */
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    int bad = 0;
    if (argc > 3) {
        for (int k = 1; k + 2 < argc; k += 3)
            bad |= bench((size_t)atol(argv[k]), atof(argv[k + 1]), (size_t)atol(argv[k + 2]));
        return bad;
    }
    bad |= bench(100, 0.95, 3);
    bad |= bench(200, 0.95, 3);
    bad |= bench(400, 0.95, 1);
    bad |= bench(1000, 0.95, 1);
    return bad;
}
