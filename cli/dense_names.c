/* Names of ensembles, and numbers of patterns by their logarithms. */
#include "dense_names.h"
#include "report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

ireneo_dense_ensemble ensemble_called(const char *name) {
    ireneo_dense_ensemble ensemble = IRENEO_DENSE_ENSEMBLE_SPHERICAL;
    while (ensemble < IRENEO_DENSE_ENSEMBLE_BINARY && strcmp(name, ireneo_dense_ensemble_name(ensemble)) != 0)
        ensemble++;
    return ensemble;
}

const char *written_count(double log_count, char *buffer) {
    if (isnan(log_count))
        snprintf(buffer, 40, "-");
    else if (log_count < log(1e9))
        return grouped(floor(exp(log_count) * (1.0 + 1e-12)), buffer);
    else
        snprintf(buffer, 40, "10^%.2f", log_count / M_LN10);
    return buffer;
}

void print_quantity(const char *name, double value, const char *meaning) {
    char text[32];
    if (isinf(value))
        snprintf(text, sizeof text, "none");
    else if (isnan(value))
        snprintf(text, sizeof text, "-");
    else
        snprintf(text, sizeof text, "%.6g", value);
    printf("  %-22s %14s   %s\n", name, text, meaning);
}

void write_log_count(ireneo_json *json, const char *name, double log_count) {
    char key[64];
    snprintf(key, sizeof key, "log_%s", name);
    ireneo_json_number(json, key, log_count);
    snprintf(key, sizeof key, "log10_%s", name);
    ireneo_json_number(json, key, log_count / M_LN10);
}
