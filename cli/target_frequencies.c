/* Counts targets. */
#include "target_frequencies.h"

#include <stdlib.h>

static int count(const command *self, const char *path, const int64_t *targets, size_t facts,
                 double candidates, double *frequencies) {
    for (size_t i = 0; i < facts; i++) {
        if (targets[i] < 0 || (double)targets[i] >= candidates)
            return complain(self, EXIT_DATA, "%s: target %lld of fact %zu is not one of %.0f candidates",
                            path, (long long)targets[i], i, candidates);
        frequencies[targets[i]] += 1.0;
    }
    return 0;
}

int load_frequencies(const command *self, const char *path, double candidates, double **frequencies,
                     double *facts) {
    if (candidates > 1e9) return complain(self, EXIT_USAGE, "--targets takes at most 1e9 candidates");
    double *counts = calloc((size_t)candidates, sizeof *counts);
    if (counts == NULL)
        return complain(self, EXIT_MACHINE, "not enough memory to count %.0f candidates", candidates);
    *frequencies = counts;
    int64_t *targets = NULL;
    size_t number = 0;
    ireneo_error failed = ireneo_load_indices(path, &targets, &number);
    if (failed != IRENEO_OK) return report_error(self, failed);
    *facts = (double)number;
    int outcome = count(self, path, targets, number, candidates, counts);
    ireneo_free(targets);
    return outcome;
}
