/* Figure "linear_c2" (the paper's figure C.2): singular values of U V^T before training, one draw of each
 * rank, against the law. */
#include "base/error.h"
#include "base/processor.h"
#include "base/ram.h"
#include "base/random.h"
#include "base/threads.h"
#include "lab/figures/figure_linear.h"
#include "lab/figures/figures.h"
#include "lab/figures/note.h"
#include "linear/law/product_spectrum.h"

#include <math.h>

enum { RANKS = 4, BINS = 36, POOLED = 1500 };
static const double FRACTIONS[RANKS] = {0.1, 0.25, 0.5, 1.0};

static double law_cdf(double s, const void *context) {
    return ireneo_product_spectrum_cdf(s * s, *(const double *)context);
}

/* The singular values over d of one draw. */
static ireneo_error draw_spectrum(uint64_t seed, size_t dim, size_t rank, uint64_t draw, double *values) {
    ireneo_memory memory = {.dim_in = dim, .dim_out = dim, .rank = rank};
    ireneo_error failed = IRENEO_ALLOCATE(&memory.left, dim * rank, "a factor");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&memory.right, dim * rank, "a factor");
    if (failed == IRENEO_OK) {
        ireneo_fill_normal_floats(seed, 2 * draw, 0, dim * rank, memory.left);
        ireneo_fill_normal_floats(seed, 2 * draw + 1, 0, dim * rank, memory.right);
        failed = ireneo_observe_spectrum(&memory, 0.0, values);
    }
    for (size_t i = 0; i < rank && failed == IRENEO_OK; i++) values[i] /= (double)dim;
    free(memory.left);
    free(memory.right);
    return failed;
}

static void write_rank(double kappa, double *values, size_t count, FILE *stream) {
    double lower, upper, shares[BINS] = {0.0};
    ireneo_product_spectrum_edges(kappa, &lower, &upper);
    double first = 0.98 * sqrt(lower), width = (1.02 * sqrt(upper) - first) / BINS;
    for (size_t i = 0; i < count; i++) {
        double place = (values[i] - first) / width;
        shares[place < 0.0 ? 0 : place >= BINS ? BINS - 1 : (size_t)place] += 1.0 / ((double)count * width);
    }
    double distance = ireneo_kolmogorov_distance(values, count, law_cdf, &kappa);
    for (size_t b = 0; b < BINS; b++) {
        double s = first + ((double)b + 0.5) * width;
        fprintf(stream, "%g,%.6g,%.6g,%.6g,%.6g,%.6g\n", kappa, s, width, shares[b],
                2.0 * s * ireneo_product_spectrum_density(s * s, kappa), distance);
    }
}

static ireneo_error make(const figure_request *request) {
    size_t dim = ireneo_figure_dim(request, 0, 300, 1500);
    figure_csv csv;
    double *values = NULL;
    IRENEO_TRY(ireneo_processor_check());
    IRENEO_TRY(ireneo_figure_note(
        request, "linear_c2",
        "d = %zu, Gaussian factors U V^T of rank kappa d, draws until %d singular values or more are "
        "pooled; KS: Kolmogorov distance to the law",
        dim, POOLED));
    IRENEO_TRY(IRENEO_ALLOCATE(&values, POOLED + dim, "singular values"));
    ireneo_error failed = ireneo_csv_open(request, "linear_c2.csv", &csv);
    ireneo_enter(0, NULL);
    if (failed == IRENEO_OK) {
        fprintf(csv.stream, "kappa,s,width,density,law,distance\n"
                            "# histogram of the singular values s of random factors of rank kappa d, beside "
                            "the law; distance: Kolmogorov.\n");
        for (size_t r = 0; r < RANKS && failed == IRENEO_OK; r++) {
            size_t rank = (size_t)lround(FRACTIONS[r] * (double)dim), count = 0;
            if (r > 0) fputs("\n\n", csv.stream);
            for (uint64_t draw = 0; count < POOLED && failed == IRENEO_OK; draw++, count += rank)
                failed = draw_spectrum(request->seed, dim, rank, draw, values + count);
            if (failed == IRENEO_OK) write_rank(FRACTIONS[r], values, count, csv.stream);
        }
        failed = ireneo_csv_close(&csv, failed);
    }
    free(values);
    return ireneo_leave(failed);
}

const figure figure_linear_c2 = {"linear_c2",
                                 "singular values of a factored memory before training",
                                 make,
                                 {1, 1, false, 0, false, false}};
