/* Figure "law": thresholds of memories of many shapes against the law, square ones over their
 * size, and the share of draws that fit against the law's chance that all facts fit. */
#include "base/error.h"
#include "base/ram.h"
#include "lab/figures/figures.h"
#include "lab/figures/threshold_figure.h"

#include <math.h>

enum { MOST_SIZES = 16, RANKS = 4, RECTANGLES = 6, SHAPES = 6, CHANCES = 2, ENOUGH_DRAWS = 16 };

/* Four lists: square memories of the original and of the decoupled problem, ranks, other shapes. */
typedef struct law_list {
    threshold_group groups[2 * MOST_SIZES + RANKS + RECTANGLES + SHAPES];
    size_t counts[4], count;
} law_list;

static void add(law_list *list, size_t which, const trial *like, size_t draws) {
    list->groups[list->count++] = (threshold_group){.like = *like, .draws = draws};
    list->counts[which]++;
}

/* Of the rows, when there are some. */
static void list_squares(const figure_request *request, const threshold_rows *known, law_list *list) {
    for (size_t k = 0; k < 2; k++) {
        trial_problem problem = k == 0 ? TRIAL_ORIGINAL : TRIAL_DECOUPLED;
        if (known->count > 0) {
            list->counts[k] =
                ireneo_threshold_squares(known, problem, list->groups + list->count, MOST_SIZES);
            list->count += list->counts[k];
            continue;
        }
        for (size_t i = 0; i < 2; i++) {
            trial like = ireneo_trial_square(
                problem, TRIAL_PROJECT, ireneo_figure_dim(request, i, i == 0 ? 20 : 30, i == 0 ? 30 : 50),
                1.0, 2, request->seed);
            add(list, k, &like, ireneo_figure_draws(request, 20, 40));
        }
    }
}

/* A shape of the rows that is not square, full rank and n = P; its draws are those of the rows with seeds from 1 on. */
static void list_rectangles(const threshold_rows *known, law_list *list) {
    for (size_t i = 0; i < known->count; i++) {
        trial like = known->rows[i].like;
        if (like.problem != TRIAL_ORIGINAL || like.solver != TRIAL_PROJECT || like.dim_in == like.dim_out ||
            like.rank > 0 || like.candidates > 0 || like.seed != 1 || list->counts[3] == RECTANGLES)
            continue;
        size_t draws = 0;
        like.candidates = like.facts;
        for (trial next = like; draws < MOST_DRAWS && ireneo_threshold_rows_find(known, &next, true) != NULL;
             next.seed++)
            draws++;
        add(list, 3, &like, draws);
    }
}

/* Low ranks, rectangles, and numbers of candidates that do not follow the facts: few (many keys a value), many. */
static void list_others(const figure_request *request, const threshold_rows *known, law_list *list) {
    static const double ranks[RANKS] = {0.2, 0.35, 0.5, 0.75};
    size_t d = ireneo_figure_dim(request, 1, 30, 30), few = ireneo_figure_draws(request, 4, 10);
    const size_t shapes[SHAPES][3] = {
        {2 * d / 3, 3 * d / 2, 0}, {3 * d / 2, 2 * d / 3, 0}, {d, d, 2 * d}, {d, d, 5 * d}, {d, d, 1000},
        {d, 3 * d / 2, 500}};
    for (size_t i = 0; i < RANKS; i++) {
        trial like = ireneo_trial_square(TRIAL_ORIGINAL, TRIAL_PROJECT, d, ranks[i], 2, request->seed);
        add(list, 2, &like, few);
    }
    list_rectangles(known, list);
    for (size_t i = 0; i < SHAPES; i++) {
        trial like = ireneo_trial_square(TRIAL_ORIGINAL, TRIAL_PROJECT, d, 1.0, 2, request->seed);
        like.dim_in = shapes[i][0];
        like.dim_out = shapes[i][1];
        if (shapes[i][2] > 0) like.candidates = shapes[i][2];
        add(list, 3, &like, few);
    }
}

/* What the picture calls a shape that is not square, and its draws. */
static void write_name(const threshold_group *g, FILE *stream) {
    if (g->like.rank > 0)
        fprintf(stream, "rank %zu", g->like.rank);
    else if (g->like.facts != g->like.candidates)
        fprintf(stream, "%zux%zu P=%zu", g->like.dim_in, g->like.dim_out, g->like.candidates);
    else
        fprintf(stream, "%zux%zu", g->like.dim_in, g->like.dim_out);
    fprintf(stream, " (%zu)", g->draws);
}

static void write_groups(const law_list *list, FILE *stream) {
    fprintf(
        stream,
        "problem,dim_in,dim_out,rank,candidates,law,mean,error,median,low,high,ratio,ratio_error,certified,"
        "open,"
        "draws,distance,chance,name\n"
        "# Largest numbers of facts that fit, over `draws` draws: mean, its standard error with half of the "
        "widest "
        "bracket (open:\n"
        "# numbers it leaves open), median, quartiles (low, high), mean over law; certified: draws whose "
        "smallest "
        "number that is not\n"
        "# stored is proved impossible; distance, chance: Kolmogorov-Smirnov against the law. Lists: square "
        "original, square\n"
        "# decoupled, low rank, others.\n");
    for (size_t k = 0, i = 0; k < 4; k++) {
        if (k > 0) fputs("\n\n", stream);
        for (size_t end = i + list->counts[k]; i < end; i++) {
            const threshold_group *g = &list->groups[i];
            bool own = g->like.facts == g->like.candidates;
            fprintf(
                stream, "%s,%zu,%zu,%zu,%zu,%.8g,%.8g,%.4g,%.8g,%.8g,%.8g,%.6g,%.4g,%zu,%zu,%zu,%.6g,%.6g,",
                ireneo_trial_problem_name(g->like.problem), g->like.dim_in, g->like.dim_out, g->like.rank,
                own ? (size_t)0 : g->like.candidates, g->law, g->mean, g->error, g->median, g->low, g->high,
                g->mean / g->law, g->error / g->law, g->certified, g->open, g->draws, g->distance, g->chance);
            write_name(g, stream);
            fputc('\n', stream);
        }
    }
}

/* Share of draws in which n facts fit, and Pr(n fit), around the law's capacity. */
static ireneo_error write_chance(const threshold_group *g, FILE *stream) {
    for (size_t n = (size_t)(0.88 * g->law); (double)n < 1.12 * g->law; n++) {
        double probability;
        size_t fit = 0;
        IRENEO_TRY(ireneo_threshold_probability(&g->like, true, (double)n, &probability));
        for (size_t k = 0; k < g->draws; k++) fit += g->sizes[k] >= n;
        fprintf(stream, "%s,%zu,%.6g,%.6g,%.6g\n", ireneo_trial_problem_name(g->like.problem), g->like.dim_in,
                (double)n / g->law, (double)fit / (double)g->draws, probability);
    }
    return IRENEO_OK;
}

/* The group of this size with draws enough for a distribution; NULL: none. */
static const threshold_group *find_size(const threshold_group *groups, size_t count, size_t dim) {
    for (size_t i = 0; i < count; i++)
        if (groups[i].like.dim_in == dim && groups[i].draws >= ENOUGH_DRAWS) return &groups[i];
    return NULL;
}

/* The smallest and the largest size of which both problems have draws enough; where there is none: the ends. */
static const threshold_group *pick_chance(const law_list *list, size_t problem, bool large) {
    const threshold_group *lists[] = {list->groups, list->groups + list->counts[0]};
    const threshold_group *own = lists[problem], *picked = NULL;
    size_t count = list->counts[problem], other = list->counts[1 - problem];
    for (size_t k = 0; k < count; k++) {
        size_t dim = own[large ? k : count - 1 - k].like.dim_in;
        if (find_size(lists[1 - problem], other, dim) != NULL && find_size(own, count, dim) != NULL)
            picked = find_size(own, count, dim);
    }
    return picked != NULL ? picked : &own[large ? count - 1 : 0];
}

static ireneo_error write_chances(const law_list *list, FILE *stream) {
    fprintf(
        stream,
        "problem,dim,facts_over_law,share,probability\n"
        "# share: of draws in which so many facts fit; probability: by the law. Original, then decoupled.\n");
    for (size_t k = 0; k < 2; k++) {
        for (size_t i = 0; i < CHANCES; i++) {
            if (k + i > 0) fputs("\n\n", stream);
            IRENEO_TRY(write_chance(pick_chance(list, k, i == 1), stream));
        }
    }
    return IRENEO_OK;
}

static ireneo_error write_note(const figure_request *request, const law_list *list) {
    char original[DIMS_TEXT], decoupled[DIMS_TEXT];
    return ireneo_figure_note(
        request, "law",
        "Left, d (draws): original %s;\ndecoupled %s. Middle: shapes (draws), ranks of d = %zu. "
        "Points: mean number of facts that fit over the law;\nhollow: not all draws are proved; bars: "
        "standard error and half of an open bracket. Right: steps are draws, lines the law.",
        ireneo_threshold_text(list->groups, list->counts[0], original),
        ireneo_threshold_text(list->groups + list->counts[0], list->counts[1], decoupled),
        list->groups[list->counts[0] + list->counts[1]].like.dim_in);
}

static ireneo_error make_from(const figure_request *request, const threshold_rows *known, law_list *list) {
    figure_csv csv;
    list_squares(request, known, list);
    if (list->counts[0] == 0 || list->counts[1] == 0)
        return ireneo_fail(IRENEO_ERROR_DATA, "%s has no square shapes of %s problem", request->thresholds,
                           list->counts[0] == 0 ? "the original" : "the decoupled");
    list_others(request, known, list);
    IRENEO_TRY(ireneo_threshold_groups(request, "thresholds (law)", known, list->groups, list->count));
    IRENEO_TRY(write_note(request, list));
    IRENEO_TRY(ireneo_csv_open(request, "law.csv", &csv));
    write_groups(list, csv.stream);
    IRENEO_TRY(ireneo_csv_close(&csv, IRENEO_OK));
    IRENEO_TRY(ireneo_csv_open(request, "law_chance.csv", &csv));
    return ireneo_csv_close(&csv, write_chances(list, csv.stream));
}

static ireneo_error make(const figure_request *request) {
    threshold_rows known;
    law_list *list = NULL;
    ireneo_error failed = ireneo_threshold_known(request, &known);
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE_ZEROED(&list, 1, "thresholds");
    if (failed == IRENEO_OK) failed = make_from(request, &known, list);
    free(list);
    ireneo_threshold_rows_free(&known);
    return failed;
}

const figure figure_law = {"law",
                           "measured thresholds of many shapes against the capacity law",
                           make,
                           {2, 2, false, MOST_DRAWS, "law", true}};
