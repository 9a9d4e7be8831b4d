/* Figure "linear_3" (the paper's figure 3): singular values of memories at capacity, for several ranks and
 * sizes of both problems, against the truncated quarter circle and the spectrum at initialisation; and of memories at the
 * load of the limit in white coordinates, where the law holds. All spectra are scaled to the mean square of the law. */
#include "base/error.h"
#include "base/ram.h"
#include "lab/figures/figure_linear.h"
#include "lab/figures/figure_trials.h"
#include "lab/figures/figures.h"
#include "lab/figures/note.h"
#include "linear/law/product_spectrum.h"
#include "linear/law/rank_spectrum.h"

#include <math.h>

/* Points of a rank: original, decoupled, and original in white coordinates, at both sizes each. */
enum { RANKS = 4, SIZES = 2, POINTS = 3 * SIZES, BINS = 17, MOST_VALUES = 2000 };
static const double FRACTIONS[RANKS] = {0.1, 0.25, 0.5, 1.0}, HIGHEST = 2.55;
static const double CLOSE_TO_CAPACITY = 0.98;

typedef struct spectrum_job {
    trial trained;
    bool white; /* at the load of the limit, in white coordinates */
    double kappa, mean_square;
    double values[MOST_VALUES];
    size_t count;
} spectrum_job;

static ireneo_error run_job(queue_worker *worker, size_t index, void *context) {
    spectrum_job *job = (spectrum_job *)context + index;
    return job->white ? ireneo_measure_white_spectrum(worker, &job->trained, job->mean_square, job->values)
                      : ireneo_measure_spectrum(worker, &job->trained, job->mean_square, job->values);
}

static ireneo_error fill_job(spectrum_job *job) {
    trial *t = &job->trained;
    size_t dim = t->dim_in;
    job->count = t->rank > 0 ? t->rank : dim;
    job->kappa = (double)job->count / (double)dim;
    double energy = ireneo_rank_spectrum_energy(job->kappa, 1.0);
    job->mean_square = energy / job->kappa;
    if (job->white) {
        t->facts = t->candidates = ireneo_trial_facts(0.5 * energy, dim, dim, 0);
        return IRENEO_OK;
    }
    ireneo_shape shape = ireneo_trial_shape(t, true);
    ireneo_capacity_report report;
    IRENEO_TRY(ireneo_capacity(&shape, &report));
    t->facts = t->candidates = (size_t)(CLOSE_TO_CAPACITY * report.facts_capacity);
    return IRENEO_OK;
}

/* Rank by rank, problem by problem, size by size, the draws of a point side by side. */
static ireneo_error list_jobs(const figure_request *request, size_t draws, spectrum_job *jobs,
                              double *costs) {
    static const size_t quick_dims[SIZES] = {50, 100}, full_dims[SIZES] = {100, 200};
    for (size_t at = 0; at < RANKS * POINTS * draws; at++) {
        size_t point = at / draws % POINTS, size = point % SIZES;
        spectrum_job *job = &jobs[at];
        job->white = point >= 2 * SIZES;
        job->trained =
            ireneo_trial_square(point / SIZES == 1 ? TRIAL_DECOUPLED : TRIAL_ORIGINAL, TRIAL_PROJECT,
                                ireneo_figure_dim(request, size, quick_dims[size], full_dims[size]),
                                FRACTIONS[at / draws / POINTS], 2, request->seed + at % draws);
        IRENEO_TRY(fill_job(job));
        costs[at] = ireneo_trial_cost(&job->trained);
    }
    return IRENEO_OK;
}

static double capacity_cdf(double s, const void *context) {
    return ireneo_rank_spectrum_cdf(s, *(const double *)context);
}

/* Histogram and distribution of a point over its draws, and how far from the law each draw is: over its
 * non-zero values, and over all d, of which the law has a share 1 - kappa at zero. */
static void write_point(spectrum_job *jobs, size_t draws, FILE *histograms, FILE *ranked, FILE *summary) {
    double shares[BINS] = {0.0}, distance = 0.0, width = HIGHEST / BINS;
    const trial *t = &jobs->trained;
    const char *name = jobs->white ? "white" : ireneo_trial_problem_name(t->problem);
    for (size_t draw = 0; draw < draws; draw++) {
        spectrum_job *job = &jobs[draw];
        for (size_t i = 0; i < job->count; i++) {
            size_t bin = (size_t)(job->values[i] / width);
            shares[bin < BINS ? bin : BINS - 1] += 1.0 / (double)(job->count * draws);
        }
        distance +=
            ireneo_kolmogorov_distance(job->values, job->count, capacity_cdf, &job->kappa) / (double)draws;
    }
    for (size_t b = 0; b < BINS; b++)
        fprintf(histograms, "%s,%zu,%g,%.6g,%.6g\n", name, t->dim_in, jobs->kappa, ((double)b + 0.5) * width,
                shares[b] / width);
    for (size_t i = 0; i < jobs->count; i++) { /* the distance has sorted them; the i-th ones of all draws */
        double mean = 0.0;
        for (size_t draw = 0; draw < draws; draw++) mean += jobs[draw].values[i] / (double)draws;
        fprintf(ranked, "%s,%zu,%g,%.6g,%.6g\n", name, t->dim_in, jobs->kappa, mean,
                ((double)i + 0.5) / (double)jobs->count);
    }
    fprintf(summary, "%s,%zu,%g,%zu,%.6g,%.6g\n", name, t->dim_in, jobs->kappa, t->facts, distance,
            jobs->kappa * distance);
}

static void write_laws(FILE *stream) {
    fprintf(stream, "kappa,s,capacity,initial,capacity_cdf,initial_cdf\n"
                    "# laws of singular values: densities and distributions at capacity, and of a product of "
                    "random factors.\n");
    for (size_t r = 0; r < RANKS; r++) {
        double kappa = FRACTIONS[r], root = sqrt(ireneo_rank_spectrum_energy(kappa, 1.0) / kappa);
        if (r > 0) fputs("\n\n", stream);
        for (int k = 0; k <= 500; k++) {
            double s = 3.0 * k / 500.0, raw = s / root; /* the initial law has mean square 1 */
            bool factored = kappa < 1.0;                /* a full matrix begins as a quarter circle */
            double density = factored ? 2.0 * raw * ireneo_product_spectrum_density(raw * raw, kappa) / root
                                      : ireneo_rank_spectrum_density(s, 1.0);
            double below =
                factored ? ireneo_product_spectrum_cdf(raw * raw, kappa) : ireneo_rank_spectrum_cdf(s, 1.0);
            fprintf(stream, "%g,%.6g,%.6g,%.6g,%.6g,%.6g\n", kappa, s, ireneo_rank_spectrum_density(s, kappa),
                    density, ireneo_rank_spectrum_cdf(s, kappa), below);
        }
    }
}

static ireneo_error run_jobs(const figure_request *request, size_t draws, spectrum_job *jobs) {
    double *costs = NULL;
    results *store = NULL;
    IRENEO_TRY(IRENEO_ALLOCATE(&costs, RANKS * POINTS * draws, "costs of the trials"));
    ireneo_error failed = list_jobs(request, draws, jobs, costs);
    queue_settings settings = ireneo_figure_queue(request, "storing (linear_3)");
    if (failed == IRENEO_OK) failed = ireneo_figure_store(request, &store);
    if (failed == IRENEO_OK)
        failed = ireneo_queue_run(store, &settings, RANKS * POINTS * draws, costs, run_job, jobs);
    ireneo_results_close_shared(store);
    free(costs);
    return failed;
}

static ireneo_error write_files(const figure_request *request, size_t draws, spectrum_job *jobs) {
    static const char *const names[] = {"linear_3.csv", "linear_3_ranked.csv", "linear_3_summary.csv",
                                        "linear_3_law.csv"};
    figure_csv files[4];
    for (size_t i = 0; i < 4; i++) {
        ireneo_error failed = ireneo_csv_open(request, names[i], &files[i]);
        if (failed == IRENEO_OK) continue;
        while (i-- > 0) ireneo_csv_close(&files[i], failed);
        return failed;
    }
    fprintf(
        files[0].stream,
        "problem,dim,kappa,s,density\n"
        "# histogram of the singular values s, in units of their mean square, over %zu draws of the point.\n",
        draws);
    fprintf(files[1].stream,
            "problem,dim,kappa,s,share_below\n"
            "# share of the singular values below s, over %zu draws of the point.\n",
            draws);
    fprintf(files[2].stream,
            "problem,dim,kappa,facts,distance,distance_with_zeros\n"
            "# distance: Kolmogorov, between the measured singular values and the law, mean over %zu draws "
            "of the "
            "point; white: original\n# problem at the load of the limit formula, in white coordinates.\n",
            draws);
    for (size_t p = 0; p < RANKS * POINTS; p++) {
        if (p > 0) fputs("\n\n", files[0].stream), fputs("\n\n", files[1].stream);
        write_point(jobs + p * draws, draws, files[0].stream, files[1].stream, files[2].stream);
    }
    write_laws(files[3].stream);
    ireneo_error failed = IRENEO_OK;
    for (size_t i = 0; i < 4; i++) failed = ireneo_csv_close(&files[i], failed);
    return failed;
}

static ireneo_error make(const figure_request *request) {
    size_t draws = ireneo_figure_draws(request, 2, 3);
    spectrum_job *jobs = NULL;
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&jobs, RANKS * POINTS * draws, "spectra"));
    ireneo_error failed = run_jobs(request, draws, jobs);
    if (failed == IRENEO_OK) failed = write_files(request, draws, jobs);
    if (failed == IRENEO_OK)
        failed = ireneo_figure_note(
            request, "linear_3",
            "d = %zu (dotted) and %zu, %zu draws a curve. First and second row: memories at 0.98 of the "
            "law's "
            "capacity, as they are. Third row: original problem\nat the load of the limit formula, in "
            "coordinates in which keys and values are white. KS: Kolmogorov distance to the law at the "
            "larger "
            "d, mean over the draws.",
            jobs[0].trained.dim_in, jobs[draws].trained.dim_in, draws);
    free(jobs);
    return failed;
}

const figure figure_linear_3 = {"linear_3",
                                "singular values of memories at capacity, several ranks",
                                make,
                                {2, 2, false, FIGURE_MOST_TRIALS, "linear_3", false}};
