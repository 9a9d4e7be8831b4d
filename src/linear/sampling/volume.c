/* log(volume) as a sum of logarithms of chances: a fact is asked for with less and less slack, and each time a walk through the
 * solutions so far tells with which chance one of them misses the fact by no more than the next slack, which was chosen
 * before, from earlier steps, to be one in three. The walk goes on from a solution that it met, so that none has to be looked
 * for. */
#include "linear/sampling/volume.h"
#include "base/ram.h"

#include <math.h>
#include <string.h>

enum { WALKS = 2, USUAL_STEPS = 100, LONGER = 4, MOST_LEVELS = 60, MOST_ROUNDS = 20, EVERY = 4 };
static const double WANTED = 1.0 / 3.0; /* chance of a level */
static const double LEAST = 1e-5; /* slack below which a fact that still needs some counts as out of reach */
static const double REACH = 2.0;  /* of paths, in typical angles between solutions: one path then forgets */

typedef struct volume_walk {
    solution_chain chain;
    double *mean;   /* (dim_out, dim_in) */
    double *met;    /* (dim_out, dim_in) the last solution of the next level */
    double *missed; /* (LONGER steps) by how much the fact in work was missed */
    double log_volume, variance;
    double fourth;
} volume_walk;

/* Mean of s^4 over all singular values of W of norm 1, that of s^2 being 1: d_min |W W^T|^2. */
static double fourth_of(const solution_cone *cone, const double *w) {
    size_t rows = cone->dim_out, columns = cone->dim_in;
    double sum = 0.0;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j <= i; j++) {
            double product = 0.0;
            for (size_t k = 0; k < columns; k++) product += w[i * columns + k] * w[j * columns + k];
            sum += (i == j ? 1.0 : 2.0) * product * product;
        }
    return sum * (double)(rows < columns ? rows : columns);
}

/* Walks, and keeps means of W and s^4. */
static void walk_and_average(volume_walk *walk, size_t steps) {
    const solution_cone *cone = walk->chain.cone;
    size_t all = cone->dim_in * cone->dim_out, taken = 0;
    double part = 1.0 / (double)steps, fourth = 0.0;
    memset(walk->mean, 0, all * sizeof *walk->mean);
    for (size_t k = 0; k < steps; k++) {
        ireneo_solution_chain_step(&walk->chain);
        for (size_t i = 0; i < all; i++) walk->mean[i] += part * walk->chain.w[i];
        walk->missed[k] = ireneo_solution_chain_missed(&walk->chain);
        if (k % EVERY == 0) fourth += fourth_of(cone, walk->chain.w), taken++;
    }
    walk->fourth = fourth / (double)taken;
}

static int rising(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The slack that one in three of missed (count) keeps to, and more where there are few; 0 once enough need none. */
static double choose_slack(double *missed, size_t count) {
    qsort(missed, count, sizeof *missed, rising);
    size_t at = 1 + (size_t)(WANTED * (double)count);
    return fmax(0.0, missed[at < count ? at : count - 1]);
}

/* The chance of the next slack, from `steps` steps, more when none keeps to it, and what it adds to log(volume). Those that
 * do are left in missed; returns how many. */
static size_t add_chance(volume_walk *walk, double slack, size_t steps) {
    solution_chain *chain = &walk->chain;
    size_t count = 0, taken = 0;
    for (; taken < steps || (count == 0 && taken < MOST_ROUNDS * steps); taken++) {
        ireneo_solution_chain_step(chain);
        double missed = ireneo_solution_chain_missed(chain);
        if (!(missed < slack)) continue;
        walk->missed[count++] = missed;
        memcpy(walk->met, chain->w, chain->cone->dim_in * chain->cone->dim_out * sizeof *walk->met);
    }
    double chance = (double)count / (double)taken, variance = (1.0 - chance) / (double)count;
    if (count == 0) return 0;
    walk->log_volume +=
        log(chance) + 0.5 * variance; /* the mean of a logarithm lies below that of the mean */
    walk->variance += variance;
    return count;
}

static void fill_row(volume_walk walks[WALKS], size_t steps, volume_row *row) {
    size_t all = walks[0].chain.cone->dim_in * walks[0].chain.cone->dim_out;
    double own = 0.0;
    row->overlap = 0.0;
    for (size_t i = 0; i < all; i++) {
        row->overlap += walks[0].mean[i] * walks[1].mean[i];
        own += 0.5 * (walks[0].mean[i] * walks[0].mean[i] + walks[1].mean[i] * walks[1].mean[i]);
    }
    row->log_volume = 0.5 * (walks[0].log_volume + walks[1].log_volume);
    row->difference = walks[0].log_volume - walks[1].log_volume;
    row->error = 0.5 * sqrt(walks[0].variance + walks[1].variance);
    row->apart = (double)steps * (own - row->overlap) / (1.0 - row->overlap);
    row->fourth = 0.5 * (walks[0].fourth + walks[1].fourth);
}

/* One fact, level by level. *met: solutions were met all the way. */
static ireneo_error add_fact(volume_walk *walk, size_t steps, bool *met) {
    solution_chain *chain = &walk->chain;
    size_t fact = chain->whole, count = LONGER * steps;
    for (size_t level = 0; level < MOST_LEVELS; level++) {
        double slack = choose_slack(walk->missed, count);
        *met = !(slack > 0.0 && slack < LEAST) && (count = add_chance(walk, slack, steps)) > 0;
        if (!*met) return IRENEO_OK;
        IRENEO_TRY(ireneo_solution_chain_place(chain, walk->met, fact + (slack > 0.0 ? 0 : 1),
                                               slack > 0.0 ? slack : INFINITY));
        for (size_t k = 0; k < steps / 10; k++) ireneo_solution_chain_step(chain); /* forget where it began */
        if (!(slack > 0.0)) return IRENEO_OK;
    }
    *met = false;
    return IRENEO_OK;
}

static ireneo_error add_facts(volume_walk walks[WALKS], const volume_settings *settings, size_t steps,
                              volume_row *rows, size_t *reached) {
    size_t facts = walks[0].chain.cone->facts;
    for (size_t k = 0; k <= facts; k++) {
        if (ireneo_report(settings->progress, "volume", (double)k, (double)facts))
            return ireneo_fail(IRENEO_ERROR_CANCELLED, "the walk through solutions was stopped");
        for (size_t a = 0; a < WALKS; a++) walk_and_average(&walks[a], LONGER * steps);
        fill_row(walks, LONGER * steps, &rows[k]);
        *reached = k;
        for (size_t a = 0; a < WALKS; a++) walks[a].chain.reach = REACH * acos(rows[k].overlap);
        for (size_t a = 0; a < WALKS && k < facts; a++) {
            bool met;
            IRENEO_TRY(add_fact(&walks[a], steps, &met));
            if (!met) return IRENEO_OK;
        }
    }
    return IRENEO_OK;
}

static ireneo_error make_walks(const solution_cone *cone, const volume_settings *settings, size_t steps,
                               volume_walk walks[WALKS]) {
    for (size_t a = 0; a < WALKS; a++) {
        IRENEO_TRY(ireneo_solution_chain_make(cone, settings->rank, settings->seed, a, &walks[a].chain));
        IRENEO_TRY(IRENEO_ALLOCATE(&walks[a].mean, cone->dim_in * cone->dim_out, "a mean solution"));
        IRENEO_TRY(IRENEO_ALLOCATE(&walks[a].met, cone->dim_in * cone->dim_out, "a solution"));
        IRENEO_TRY(IRENEO_ALLOCATE(&walks[a].missed, LONGER * steps, "steps of a walk"));
        IRENEO_TRY(ireneo_solution_chain_place(&walks[a].chain, walks[a].chain.w, 0, INFINITY));
    }
    return IRENEO_OK;
}

static void free_walks(volume_walk walks[WALKS]) {
    for (size_t a = 0; a < WALKS; a++) {
        ireneo_solution_chain_free(&walks[a].chain);
        free(walks[a].mean);
        free(walks[a].met);
        free(walks[a].missed);
    }
}

ireneo_error ireneo_solution_volume(const solution_cone *cone, const volume_settings *settings,
                                    volume_row *rows, size_t *reached) {
    volume_walk walks[WALKS] = {0};
    size_t steps = settings->steps > 0 ? settings->steps : USUAL_STEPS;
    *reached = 0;
    ireneo_error failed = make_walks(cone, settings, steps, walks);
    if (failed == IRENEO_OK) failed = add_facts(walks, settings, steps, rows, reached);
    free_walks(walks);
    return failed;
}

ireneo_error ireneo_solution_overlap(const solution_cone *cone, const volume_settings *settings,
                                     const double *w, volume_row *row) {
    volume_walk walks[WALKS] = {0};
    size_t steps = settings->steps > 0 ? settings->steps : USUAL_STEPS;
    ireneo_error failed = make_walks(cone, settings, steps, walks);
    for (size_t a = 0; a < WALKS && failed == IRENEO_OK; a++) {
        failed = ireneo_solution_chain_place(&walks[a].chain, w, cone->facts, INFINITY);
        for (size_t k = 0; k < steps / 10 && failed == IRENEO_OK; k++)
            ireneo_solution_chain_step(&walks[a].chain);
        if (failed == IRENEO_OK) walk_and_average(&walks[a], steps);
    }
    *row = (volume_row){0};
    if (failed == IRENEO_OK) fill_row(walks, steps, row);
    row->log_volume = NAN;
    free_walks(walks);
    return failed;
}
