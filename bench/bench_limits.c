/* Close to capacity and beyond it: verdict, seconds and where they go. Arguments: names of cases (default: all). */
#include "base/random.h"
#include "ireneo.h"
#include "plain_pass.h"

#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Random Gaussian facts, or random pairs of words where `words` is set: all of them are candidates. */
typedef struct limit_case {
    const char *name;
    size_t dim;
    double load; /* of the law */
    bool words, overload;
} limit_case;

static const limit_case CASES[] = {
    {"100 at 0.99", 100, 0.99, false, false},       {"100 at 1.01", 100, 1.01, false, false},
    {"200 at 0.98", 200, 0.98, false, false},       {"200 at 1.02", 200, 1.02, false, false},
    {"50 at 5, overload", 50, 5.0, false, true},    {"words at 1.15, overload", 100, 1.15, true, true},
    {"words at 2, overload", 100, 2.0, true, true},
};

static void *allocate(size_t count, size_t size) {
    void *space = calloc(count, size);
    if (space == NULL) exit(4);
    return space;
}

static void fail(void) {
    fprintf(stderr, "%s\n", ireneo_last_error());
    exit(1);
}

/* Keys are the first words of one random order, targets those of another. */
static void choose_words(const float *words, size_t count, ireneo_facts *f) {
    size_t *from = allocate(count, sizeof *from), *to = allocate(count, sizeof *to);
    float *keys = allocate(f->facts * f->dim_in, sizeof *keys);
    int64_t *targets = allocate(f->facts, sizeof *targets);
    for (size_t i = 0; i < count; i++) from[i] = to[i] = i;
    ireneo_generator generator = {.seed = 1};
    for (size_t i = count - 1; i > 0; i--) {
        size_t a = (size_t)ireneo_draw_below(&generator, i + 1),
               b = (size_t)ireneo_draw_below(&generator, i + 1), swap = from[i];
        from[i] = from[a], from[a] = swap, swap = to[i], to[i] = to[b], to[b] = swap;
    }
    for (size_t i = 0; i < f->facts; i++) {
        memcpy(keys + i * f->dim_in, words + from[i] * f->dim_in, f->dim_in * sizeof *keys);
        targets[i] = (int64_t)to[i];
    }
    f->keys = keys, f->targets = targets;
    free(from), free(to);
}

static void draw(size_t dim, ireneo_facts *f) {
    ireneo_sample sample = {1, dim, dim};
    float *keys = allocate(f->facts * dim, sizeof *keys),
          *values = allocate(f->candidates * dim, sizeof *values);
    ireneo_sample_keys(&sample, 0, f->facts, keys);
    ireneo_sample_values(&sample, 0, f->candidates, values);
    f->keys = keys, f->values = values;
}

static void show(const limit_case *c, const ireneo_store_info *info, double pass) {
    const ireneo_store_phases *p = &info->phases;
    double all = info->seconds;
    printf("%-24s %5zu facts, %5zu recalled  %-10s %7.2f s = %5.0f passes  scans %3zu  iterations %5zu\n",
           c->name, info->facts, info->recalled, ireneo_status_name(info->status), all, all / pass,
           info->scans, info->iterations);
    printf("    shares: whiten %.2f start %.2f scan %.2f check %.2f direction %.2f line %.2f gradient %.2f "
           "history "
           "%.2f certificate %.2f\n",
           p->whiten / all, p->start / all, p->scan / all, p->check / all, p->direction / all,
           p->line_search / all, p->gradient / all, p->history / all, p->certificate / all);
    fflush(stdout);
}

static void measure(const limit_case *c, const float *words, size_t count) {
    ireneo_shape shape = {.dim_in = c->dim, .dim_out = c->dim, .candidates = c->words ? (double)count : 0.0};
    ireneo_capacity_report law;
    if (ireneo_capacity(&shape, &law) != IRENEO_OK) fail();
    size_t n = (size_t)(c->load * law.facts_capacity);
    ireneo_facts f = {.facts = n, .candidates = c->words ? count : n, .dim_in = c->dim, .dim_out = c->dim};
    if (c->words) {
        f.values = words;
        choose_words(words, count, &f);
    } else {
        draw(c->dim, &f);
    }
    ireneo_store_settings settings = {.overload = c->overload};
    ireneo_store_info info;
    ireneo_memory *memory = NULL;
    double pass = plain_pass(f.keys, NULL, f.values, f.facts, f.candidates, c->dim, ireneo_thread_count(0));
    if (ireneo_store(&f, &settings, &memory, NULL, &info) != IRENEO_OK) fail();
    show(c, &info, pass);
    ireneo_memory_free(memory);
    free((void *)f.keys), free((void *)f.targets);
    if (!c->words) free((void *)f.values);
}

int main(int argc, char **argv) {
    mallopt(M_TRIM_THRESHOLD, 256 << 20); /* as the program does */
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    float *words = NULL;
    size_t count, dim;
    if (ireneo_load_matrix(IRENEO_DATA "/words-100d.npy", &words, &count, &dim) != IRENEO_OK) fail();
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        bool wanted = argc < 2;
        for (int a = 1; a < argc; a++) wanted |= strcmp(argv[a], CASES[k].name) == 0;
        if (wanted) measure(&CASES[k], words, count);
    }
    free(words);
    return 0;
}
