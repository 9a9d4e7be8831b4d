/* Settings of a draw as a line of text, doubles with all their digits. */
#include "lab/sweep/draw_key.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 2, 3))) static void append(char key[DRAW_KEY_SIZE], const char *format, ...) {
    size_t used = strlen(key);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(key + used, DRAW_KEY_SIZE - used, format, arguments);
    va_end(arguments);
}

void ireneo_draw_key(const ireneo_dense_experiment *e, uint64_t index, char key[DRAW_KEY_SIZE]) {
    key[0] = '\0';
    append(key, "dense %s %s %s N=%zu logP=%.17g", ireneo_dense_method_name(e->method),
           ireneo_dense_ensemble_name(e->ensemble), ireneo_dense_measure_name(e->measure), e->neurons,
           e->log_patterns);
    if (e->measure != IRENEO_DENSE_MEASURE_LAMBDA) append(key, " lambda=%.17g", e->lambda);
    if (e->measure != IRENEO_DENSE_MEASURE_ANGLE) append(key, " angle=%.17g", e->angle);
    append(key, " steps=%zu", e->steps);
    if (e->steps > 1) append(key, " closeness=%.17g", e->closeness);
    if (e->method == IRENEO_DENSE_METHOD_TAIL || e->method == IRENEO_DENSE_METHOD_HYBRID)
        append(key, " kept=%.17g", e->kept);
    if (e->measure == IRENEO_DENSE_MEASURE_LAMBDA && (e->search_lower > 0.0 || e->search_upper > 0.0))
        append(key, " search=%.17g:%.17g", e->search_lower, e->search_upper);
    append(key, " seed=%llu draw=%llu", (unsigned long long)e->seed, (unsigned long long)index);
}
