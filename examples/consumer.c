/* The library from C: how many facts fit, store nine tenths of them, ask for one.
 *
 *   cc consumer.c $(pkg-config --cflags --libs ireneo) -o consumer && ./consumer
 */
#include <ireneo.h>

#include <stdio.h>
#include <stdlib.h>

static int fail(const char *what) {
    fprintf(stderr, "%s: %s\n", what, ireneo_last_error());
    return EXIT_FAILURE;
}

int main(void) {
    enum { DIM = 50, TOP = 3 };
    ireneo_shape shape = {.dim_in = DIM, .dim_out = DIM};
    ireneo_capacity_report law;
    if (ireneo_capacity(&shape, &law) != IRENEO_OK) return fail("capacity");
    size_t count = (size_t)(0.9 * law.facts_capacity);
    printf("a %d x %d matrix holds %.0f facts; storing %zu of them\n", DIM, DIM, law.facts_capacity, count);

    /* Random keys (count, DIM) and values (count, DIM); key i belongs to value i. */
    float *keys = malloc(count * DIM * sizeof *keys), *values = malloc(count * DIM * sizeof *values);
    if (keys == NULL || values == NULL) return EXIT_FAILURE;
    ireneo_sample sample = {.seed = 1, .dim_in = DIM, .dim_out = DIM};
    ireneo_sample_keys(&sample, 0, count, keys);
    ireneo_sample_values(&sample, 0, count, values);

    ireneo_facts facts = {
        .facts = count, .candidates = count, .dim_in = DIM, .dim_out = DIM, .keys = keys, .values = values};
    ireneo_memory *memory = NULL;
    ireneo_store_info info;
    if (ireneo_store(&facts, NULL, &memory, NULL, &info) != IRENEO_OK) return fail("store");
    printf("%s: %zu of %zu recalled, smallest margin %.2g score spreads\n", ireneo_status_name(info.status),
           info.recalled, info.facts, info.margin);

    int64_t index[TOP];
    float score[TOP];
    if (ireneo_recall(memory, keys + 7 * DIM, 1, values, count, TOP, NULL, index, score) != IRENEO_OK)
        return fail("recall");
    printf("key 7 ->");
    for (int k = 0; k < TOP; k++) printf(" %lld (%.3f)", (long long)index[k], (double)score[k]);
    printf("\n");

    ireneo_memory_free(memory);
    free(keys);
    free(values);
    return info.status == IRENEO_STATUS_STORED && index[0] == 7 ? EXIT_SUCCESS : EXIT_FAILURE;
}
