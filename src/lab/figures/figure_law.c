/* Figure "law": thresholds of memories of many shapes against the law, and the share of draws that fit
 * against the law's chance that all facts fit. */
#include "base/error.h"
#include "lab/figures/figures.h"
#include "lab/figures/threshold_figure.h"

#include <math.h>

enum { SQUARE = 4, SHAPES = 14 };

/* Square memories of both problems first: their distributions are drawn too. */
static size_t list_groups(const figure_request *request, threshold_group *groups) {
    static const size_t quick_dims[] = {20, 30}, full_dims[] = {30, 50};
    const size_t dims[] = {ireneo_figure_dim(request, 0, quick_dims[0], full_dims[0]),
                           ireneo_figure_dim(request, 1, quick_dims[1], full_dims[1])};
    size_t draws = ireneo_figure_draws(request, 20, 40), few = ireneo_figure_draws(request, 4, 10), count = 0,
           d = dims[1];
    uint64_t seed = request->seed;
    for (size_t i = 0; i < SQUARE; i++)
        groups[count++] =
            (threshold_group){.like = ireneo_trial_square(i % 2 == 0 ? TRIAL_DECOUPLED : TRIAL_ORIGINAL,
                                                          TRIAL_PROJECT, dims[i / 2], 1.0, 2, seed),
                              .draws = draws};
    static const double ranks[] = {0.2, 0.35, 0.5, 0.75};
    for (size_t i = 0; i < 4; i++)
        groups[count++] = (threshold_group){
            .like = ireneo_trial_square(TRIAL_ORIGINAL, TRIAL_PROJECT, d, ranks[i], 2, seed), .draws = few};
    /* Rectangular, and numbers of candidates that do not follow the facts: few (many keys a value), many. */
    const size_t shapes[][3] = {
        {2 * d / 3, 3 * d / 2, 0}, {3 * d / 2, 2 * d / 3, 0}, {d, d, 2 * d}, {d, d, 5 * d}, {d, d, 1000},
        {d, 3 * d / 2, 500}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        threshold_group *g = &groups[count++];
        *g = (threshold_group){.like = ireneo_trial_square(TRIAL_ORIGINAL, TRIAL_PROJECT, d, 1.0, 2, seed),
                               .draws = few};
        g->like.dim_in = shapes[i][0];
        g->like.dim_out = shapes[i][1];
        if (shapes[i][2] > 0) g->like.candidates = shapes[i][2];
    }
    return count;
}

static void write_groups(const threshold_group *groups, size_t count, FILE *stream) {
    fprintf(
        stream,
        "problem,dim_in,dim_out,rank,candidates,law,median,low,high,ratio,certified,draws,distance,"
        "chance\n"
        "# Largest numbers of facts that are stored, over `draws` draws: median, quartiles (low, high), "
        "median over law; certified: draws\n"
        "# whose next number is proved impossible; distance, chance: Kolmogorov-Smirnov against the law.\n");
    for (size_t i = 0; i < count; i++) {
        const threshold_group *g = &groups[i];
        bool own = g->like.facts == g->like.candidates;
        if (i == SQUARE || i == SQUARE + 4) fputs("\n\n", stream);
        fprintf(stream, "%s,%zu,%zu,%zu,%zu,%.8g,%.8g,%.8g,%.8g,%.6g,%zu,%zu,%.6g,%.6g\n",
                ireneo_trial_problem_name(g->like.problem), g->like.dim_in, g->like.dim_out, g->like.rank,
                own ? (size_t)0 : g->like.candidates, g->law, g->median, g->low, g->high, g->median / g->law,
                g->certified, g->draws, g->distance, g->chance);
    }
}

/* Share of draws whose threshold is n or more, and Pr(n fit), around the law's capacity. */
static ireneo_error write_chances(const threshold_group *groups, FILE *stream) {
    fprintf(stream, "problem,dim,facts_over_law,share,probability\n"
                    "# share: of draws in which so many facts fit; probability: by the law.\n");
    for (size_t i = 0; i < SQUARE; i++) {
        const threshold_group *g = &groups[i];
        if (i > 0) fputs("\n\n", stream);
        for (size_t n = (size_t)(0.88 * g->law); (double)n < 1.12 * g->law; n++) {
            double probability, share = 0.0;
            IRENEO_TRY(ireneo_threshold_probability(&g->like, true, (double)n, &probability));
            for (size_t k = 0; k < g->draws; k++)
                if (g->sizes[k] >= n) share += 1.0 / (double)g->draws;
            fprintf(stream, "%s,%zu,%.6g,%.6g,%.6g\n", ireneo_trial_problem_name(g->like.problem),
                    g->like.dim_in, (double)n / g->law, share, probability);
        }
    }
    return IRENEO_OK;
}

static ireneo_error make(const figure_request *request) {
    threshold_group groups[SHAPES];
    size_t count = list_groups(request, groups);
    figure_csv csv;
    IRENEO_TRY(ireneo_threshold_groups(request, "thresholds (law)", groups, count));
    IRENEO_TRY(ireneo_csv_open(request, "law.csv", &csv));
    write_groups(groups, count, csv.stream);
    IRENEO_TRY(ireneo_csv_close(&csv, IRENEO_OK));
    IRENEO_TRY(ireneo_csv_open(request, "law_chance.csv", &csv));
    return ireneo_csv_close(&csv, write_chances(groups, csv.stream));
}

const figure figure_law = {
    "law", "measured thresholds of many shapes against the capacity law", make, {2, 2, false, MOST_DRAWS}};
