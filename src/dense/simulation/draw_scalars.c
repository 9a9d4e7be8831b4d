/* One step with P - 1 scalars: the start is independent of the other patterns, so their overlaps with it are
 * independent numbers of a known law and no pattern is needed.
 *
 * Spherical: v is Student's t with N - 1 degrees of freedom in disguise, v = T / sqrt(N - 1 + T^2), and
 * Bailey's polar method (Math. Comp. 62, 1994) gives T^2 / (N - 1) = (U^(-2/(N-1)) - 1) cos^2(2 pi V) from
 * two uniform numbers, exactly. Gaussian: v is N(0, 1). Binary: v counts bits. */
#include "base/ram.h"
#include "dense/simulation/simulate.h"

#include <math.h>
#include <stdbool.h>

enum { CHUNK = 4096 };

typedef struct scalars {
    const ireneo_dense_experiment *experiment;
    uint64_t stream;
    size_t count;
    double *stored; /* (count), or NULL: made again for every sum */
} scalars;

static void fill_spherical(const scalars *s, size_t first, size_t count, double *values) {
    double uniforms[256], degrees = (double)s->experiment->neurons - 1.0;
    for (size_t done = 0; done < count;) {
        size_t take = count - done < 128 ? count - done : 128;
        ireneo_fill_uniforms(s->experiment->seed, s->stream, 2 * (uint64_t)(first + done), 2 * take,
                             uniforms);
        for (size_t i = 0; i < take; i++) {
            double cosine = cos(2.0 * M_PI * uniforms[2 * i + 1]);
            double square = expm1(-2.0 * log(uniforms[2 * i]) / degrees) * cosine * cosine;
            values[done + i] = copysign(sqrt(square / (1.0 + square)), cosine);
        }
        done += take;
    }
}

/* (2 B - N) / N, B the number of ones among N fair bits: the 48 leading ones of each uniform number, whose
 * last bits are rounded. */
static void fill_binary(const scalars *s, size_t first, size_t count, double *values) {
    enum { BITS = 48 };
    size_t neurons = s->experiment->neurons, words = (neurons + BITS - 1) / BITS;
    for (size_t i = 0; i < count; i++) {
        int ones = 0;
        for (size_t w = 0; w < words; w++) {
            double u;
            ireneo_fill_uniforms(s->experiment->seed, s->stream, (uint64_t)(first + i) * words + w, 1, &u);
            uint64_t bits = (uint64_t)(u * 0x1p48);
            size_t used = neurons - w * BITS < BITS ? neurons - w * BITS : BITS;
            ones += __builtin_popcountll(bits & ((UINT64_C(1) << used) - 1));
        }
        values[i] = (2.0 * ones - (double)neurons) / (double)neurons;
    }
}

static void fill(const scalars *s, size_t first, size_t count, double *values) {
    switch (s->experiment->ensemble) {
    case IRENEO_DENSE_ENSEMBLE_SPHERICAL:
        fill_spherical(s, first, count, values);
        break;
    case IRENEO_DENSE_ENSEMBLE_GAUSSIAN:
        ireneo_fill_normals(s->experiment->seed, s->stream, first, count, values);
        break;
    case IRENEO_DENSE_ENSEMBLE_BINARY:
        fill_binary(s, first, count, values);
        break;
    }
}

static double log_sum(void *context, double s, double *mean) {
    const scalars *all = context;
    double made[CHUNK], peak = -INFINITY, total = 0.0, weighted = 0.0;
    for (size_t first = 0; first < all->count; first += CHUNK) {
        size_t count = all->count - first < CHUNK ? all->count - first : CHUNK;
        const double *values = all->stored != NULL ? all->stored + first : made;
        if (all->stored == NULL) fill(all, first, count, made);
        double largest = values[0];
        for (size_t i = 1; i < count; i++) largest = values[i] > largest ? values[i] : largest;
        if (largest > peak) {
            double shrink = exp(s * (peak - largest));
            total *= shrink;
            weighted *= shrink;
            peak = largest;
        }
        for (size_t i = 0; i < count; i++) {
            double w = exp(s * (values[i] - peak));
            total += w;
            weighted += w * values[i];
        }
    }
    *mean = total > 0.0 ? weighted / total : 0.0;
    return total > 0.0 ? s * peak + log(total) : -INFINITY;
}

ireneo_error ireneo_draw_scalars(const ireneo_dense_experiment *e, uint64_t index, ireneo_dense_draw *draw) {
    scalars all = {e, ireneo_dense_stream_of(index, IRENEO_STREAM_SCALARS), 0, NULL};
    IRENEO_TRY(ireneo_dense_crowd_size(e, &all.count));
    /* A root in lambda needs the sum many times: keep the numbers as long as there is room. */
    bool keep = e->measure == IRENEO_DENSE_MEASURE_LAMBDA &&
                (double)all.count * sizeof(double) < (double)ireneo_ram_available() / 16.0;
    if (keep) {
        IRENEO_TRY(IRENEO_ALLOCATE(&all.stored, all.count, "overlaps"));
        fill(&all, 0, all.count, all.stored);
    }
    double power = ireneo_dense_target_power(e, index), n = (double)e->neurons;
    bool gauss = e->ensemble == IRENEO_DENSE_ENSEMBLE_GAUSSIAN;
    ireneo_crowd crowd = {log_sum, &all, gauss ? sqrt(n * power) : n, gauss ? sqrt(n * power) : 1.0};
    ireneo_error failed = ireneo_one_step(e, &crowd, draw);
    free(all.stored);
    return failed;
}
