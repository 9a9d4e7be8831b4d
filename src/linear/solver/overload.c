/* Which facts to keep when there are more than fit.
 *
 * Minimising the loss over too many facts leaves residuals where the facts disagree most. Facts with the
 * largest residual are given up, a few at a time, until the rest fits; then the easiest of those given up are
 * offered again, and whatever breaks in turn makes room. Being free to choose beats the law for a random
 * subset (docs/linear.md, "Overload"). Facts come in classes of weight: a class is only fitted into the room
 * that the heavier classes leave, and never at their cost. */
#include "linear/solver/overload.h"
#include "base/floats.h"
#include "base/pool.h"
#include "base/ram.h"
#include "linear/facts/facts.h"
#include "linear/kernels/row_projection.h"
#include "linear/solver/factors.h"

#include <math.h>
#include <string.h>

enum { CLASSES = 8, GROW_FAILURES = 3, GROW_ROUNDS = 60 };
enum { LEAST_ITERATIONS = 8 };
static const double FLAT_LOSS = 4e-3; /* of the loss: an iteration that gains less is the last */
enum { STILL_FALLING = 8 };           /* one violation in so many gone is progress */
static const double FIRST_OFFER = 1.7, COARSE_UNTIL = 1.5; /* in units of the law */
static const double OFFERED = 0.01;                        /* share offered again in a round */
static const double LARGE_LAW = 3000.0;                    /* facts by the law from which steps are larger */
static const float MARGIN =
    0.1f; /* of the loss, in score spreads: the facts kept should stand clear of those not */

/* How facts are given up: after so many iterations, this share of those kept, or this part of those violated.
 */
typedef struct pace {
    int iterations;
    double share;
    size_t part;
} pace;

/* The choice is made in small steps, each after a good look: at d = 50 and 1.5 times the law, steps of 1 %
 * after forty iterations keep 445 facts, steps of 0.4 % after sixty keep 456, and those of 0.3 % after a
 * hundred no more. Large memories average over more facts and make do with larger steps, and so do repairs
 * after facts were offered again. */
static const pace COARSE = {12, 0.06, 16}, FINE = {60, 0.004, 16}, LARGE = {100, 0.01, 16},
                  REPAIR = {40, 0.01, 4};

typedef struct ranked {
    double loss;
    size_t row;
} ranked;

/* Every rank knows about all rows and comes to the same choice; losses and checks come from those who hold the rows. */
typedef struct overload {
    ireneo_attempt *work;
    ireneo_holding holding;
    size_t *shares; /* (ranks) rows that each holds; NULL: all are here */
    size_t rows, kept, best_kept;
    unsigned char *class_of;      /* (rows) 0 is the heaviest */
    double *loss;                 /* (rows) at the last scan */
    ranked *order;                /* (rows) */
    unsigned char *given_up;      /* (rows) of which the attempt sees those held here */
    unsigned char *recalled;      /* (rows) likewise; of other ranks after gather_recalled */
    unsigned char *best_given_up; /* (rows) */
    float *best_point;            /* (length) */
    bool stopped;
} overload;

static int by_loss(const void *a, const void *b) {
    const ranked *x = a, *y = b;
    if (x->loss != y->loss) return x->loss < y->loss ? -1 : 1;
    return x->row < y->row ? -1 : 1;
}

static int descending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x > y ? -1 : x < y;
}

/* Classes by weight: one for each distinct weight when there are few, otherwise equal shares of the facts. */
static ireneo_error classify(overload *o, const double *weights, size_t *classes) {
    *classes = 1;
    if (weights == NULL) return IRENEO_OK;
    double *sorted = NULL, bars[CLASSES] = {0};
    IRENEO_TRY(IRENEO_ALLOCATE(&sorted, o->rows, "weights"));
    memcpy(sorted, weights, o->rows * sizeof *sorted);
    qsort(sorted, o->rows, sizeof *sorted, descending);
    size_t distinct = 1;
    for (size_t i = 1; i < o->rows; i++) distinct += sorted[i] != sorted[i - 1];
    *classes = distinct < CLASSES ? distinct : CLASSES;
    size_t found = 0;
    for (size_t i = 0; i < o->rows; i++) /* bars[c] is the lightest weight of class c */
        if (distinct <= CLASSES) {
            if (i + 1 == o->rows || sorted[i] != sorted[i + 1]) bars[found++] = sorted[i];
        } else if ((i + 1) * CLASSES / o->rows > found) {
            bars[found++] = sorted[i];
        }
    for (size_t i = 0; i < o->rows; i++) {
        size_t c = 0;
        while (c + 1 < *classes && weights[i] < bars[c]) c++;
        o->class_of[i] = (unsigned char)c;
    }
    free(sorted);
    return IRENEO_OK;
}

/* Puts what every rank has at its place among all rows, items of `size` bytes, on all ranks. */
static void gather_rows(overload *o, size_t size, void *all) {
    if (o->shares == NULL) return;
    for (size_t k = 0; k < o->holding.ranks->count; k++) o->shares[k] *= size;
    ireneo_ranks_gather_into(o->holding.ranks, (char *)all + o->holding.first * size, o->shares, all);
    for (size_t k = 0; k < o->holding.ranks->count; k++) o->shares[k] /= size;
}

/* The outcome of the last check, of all rows. */
static void gather_recalled(overload *o) {
    gather_rows(o, sizeof *o->recalled, o->recalled);
}

static void find_losses_of(void *context, size_t first, size_t last) {
    overload *o = context;
    const ireneo_working_set *l = &o->work->set;
    float margin = o->work->minimiser.margin;
    for (size_t i = first; i < last; i++) {
        const float *score = l->score + i * l->capacity;
        size_t slots = ireneo_working_set_slots(l, i);
        float target = l->target_score[i], best = ireneo_largest_float(score, slots);
        double total = 0.0, squares = 0.0;
        if (best + margin > target) {
            float t = ireneo_row_level(score, slots, target, margin, target);
            for (size_t k = 0; k < slots; k++) {
                double r = fmax(0.0, (double)(score[k] + margin - t));
                total += r;
                squares += r * r;
            }
        }
        o->loss[o->holding.first + i] = squares + total * total;
    }
}

/* Loss of every row on the working set as it is, whether it was given up or not. */
static void find_losses(overload *o) {
    enum { GRAIN = 256 };
    ireneo_share_rows(o->holding.rows, GRAIN, o->work->settings.threads, find_losses_of, o);
    gather_rows(o, sizeof *o->loss, o->loss);
}

/* A scan that sees all rows, for their losses, and then drops those given up from the working set. */
static ireneo_error scan_all(overload *o) {
    ireneo_attempt *w = o->work;
    IRENEO_TRY(ireneo_attempt_scan(w, IRENEO_HARD_KEEP, IRENEO_SCAN_ALL_ROWS));
    find_losses(o);
    ireneo_attempt_mask(w);
    ireneo_minimiser_evaluate(&w->minimiser);
    return IRENEO_OK;
}

static void give_up(overload *o, size_t row) {
    o->given_up[row] = 1;
    if (row >= o->holding.first && row - o->holding.first < o->holding.rows)
        o->work->set.count[row - o->holding.first] = 0;
    o->kept--;
}

/* Iterates on the rows that are kept, at most `most` times, and as long as the loss still falls: once it hardly does,
 * residuals tell who disagrees most, which is all that giving up asks for. */
static void iterate(overload *o, int most) {
    ireneo_attempt *w = o->work;
    for (int k = 0; k < most && w->minimiser.violations > 0 && !o->stopped; k++) {
        double before = w->minimiser.loss;
        o->stopped = ireneo_attempt_stop_asked(w);
        if (!ireneo_minimiser_iterate(&w->minimiser)) break;
        w->info->iterations++;
        if (k >= LEAST_ITERATIONS && before - w->minimiser.loss < FLAT_LOSS * before) break;
    }
}

/* Gives up at most `most` rows of the class, those with the largest loss. Returns how many. The history of steps stays:
 * the loss of the others has not changed. */
static size_t drop_worst(overload *o, size_t class, size_t most) {
    size_t count = 0;
    find_losses(o);
    for (size_t i = 0; i < o->rows; i++)
        if (!o->given_up[i] && o->class_of[i] == class && o->loss[i] > 0.0)
            o->order[count++] = (ranked){o->loss[i], i};
    qsort(o->order, count, sizeof *o->order, by_loss);
    if (most > count) most = count;
    for (size_t k = 0; k < most; k++) give_up(o, o->order[count - 1 - k].row);
    ireneo_minimiser_evaluate(&o->work->minimiser);
    return most;
}

/* The minimiser sees no violation and the check does: rounding to float32 takes these facts away, as it can when keys nearly
 * depend on each other, and no further step brings them back. Gives up at most `most` of them, of the class if it has some. */
static void drop_rounded(overload *o, size_t class, size_t most) {
    size_t dropped = 0;
    gather_recalled(o);
    for (int any = 0; any < 2 && dropped == 0; any++)
        for (size_t i = 0; i < o->rows && dropped < most; i++)
            if (!o->given_up[i] && !o->recalled[i] && (any || o->class_of[i] == class))
                give_up(o, i), dropped++;
    ireneo_lbfgs_forget(&o->work->minimiser.lbfgs);
    ireneo_minimiser_evaluate(&o->work->minimiser);
}

/* Gives facts of the class up until the rest fits. */
static ireneo_error shrink(overload *o, size_t class, const pace *late) {
    ireneo_attempt *w = o->work;
    double law = w->law;
    bool standing = false;
    while (!standing && !o->stopped) {
        const pace *now = (double)o->kept > COARSE_UNTIL * law ? &COARSE : late;
        iterate(o, now->iterations);
        for (size_t before = o->rows;
             now == late && w->minimiser.violations < before - before / STILL_FALLING && !o->stopped;) {
            before =
                w->minimiser.violations; /* as long as violations go away by themselves, none is given up */
            iterate(o, now->iterations / 2);
        }
        if (o->stopped) break;
        size_t share = (size_t)ceil(now->share * (double)o->kept);
        if (w->minimiser.violations == 0) {
            IRENEO_TRY(ireneo_attempt_check(w, &standing));
            if (!standing && w->minimiser.violations == 0) drop_rounded(o, class, share);
            continue;
        }
        size_t broken = (w->minimiser.violations + now->part - 1) / now->part;
        if (drop_worst(o, class, share < broken ? share : broken) == 0) {
            /* No row of this class has a loss, yet its mere presence breaks heavier classes: any will do. */
            size_t left = 0;
            for (size_t i = 0; i < o->rows && left < share; i++)
                if (!o->given_up[i] && o->class_of[i] == class) give_up(o, i), left++;
            if (left == 0) break;
            ireneo_minimiser_evaluate(&w->minimiser);
        }
        IRENEO_TRY(ireneo_attempt_scan(w, IRENEO_HARD_KEEP, IRENEO_SCAN_KEPT_ROWS));
    }
    return IRENEO_OK;
}

static void remember_best(overload *o) {
    o->best_kept = o->kept;
    memcpy(o->best_given_up, o->given_up, o->rows);
    memcpy(o->best_point, o->work->minimiser.point, o->work->minimiser.length * sizeof *o->best_point);
}

static ireneo_error return_to_best(overload *o) {
    ireneo_attempt *w = o->work;
    o->kept = o->best_kept;
    memcpy(o->given_up, o->best_given_up, o->rows);
    memcpy(w->minimiser.point, o->best_point, w->minimiser.length * sizeof *o->best_point);
    ireneo_factors_compose(&w->minimiser);
    ireneo_lbfgs_forget(&w->minimiser.lbfgs);
    return scan_all(o);
}

/* Facts that were given up but are recalled all the same cost nothing: take them back. Needs the outcome of a
 * check. */
static void take_back_recalled(overload *o) {
    gather_recalled(o);
    for (size_t i = 0; i < o->rows; i++)
        if (o->given_up[i] && o->recalled[i]) o->given_up[i] = 0, o->kept++;
}

/* Offers the `many` easiest facts of the class again, after skipping `skip` of them. Returns how many. */
static size_t offer_easiest(overload *o, size_t class, size_t many, size_t skip) {
    size_t count = 0, offered = 0;
    for (size_t i = 0; i < o->rows; i++)
        if (o->given_up[i] && o->class_of[i] == class) o->order[count++] = (ranked){o->loss[i], i};
    qsort(o->order, count, sizeof *o->order, by_loss);
    for (size_t k = skip < count ? skip : 0; k < count && offered < many; k++, offered++) {
        o->given_up[o->order[k].row] = 0;
        o->kept++;
    }
    return offered;
}

/* Tries to add facts of the class to what fits, as long as it pays. */
static ireneo_error grow(overload *o, size_t class) {
    ireneo_attempt *w = o->work;
    int failures = 0;
    take_back_recalled(o);
    remember_best(o);
    for (int round = 0; round < GROW_ROUNDS && failures < GROW_FAILURES && !o->stopped; round++) {
        IRENEO_TRY(return_to_best(o));
        size_t many =
            (size_t)ceil((failures < GROW_FAILURES / 2 ? OFFERED : 0.5 * OFFERED) * (double)o->kept);
        if (offer_easiest(o, class, many, (size_t)failures * many / 2) == 0) break;
        IRENEO_TRY(ireneo_attempt_scan(w, IRENEO_HARD_KEEP, IRENEO_SCAN_KEPT_ROWS));
        IRENEO_TRY(shrink(o, class, &REPAIR));
        if (o->stopped) break;
        take_back_recalled(o);
        if (o->kept > o->best_kept)
            remember_best(o), failures = 0;
        else
            failures++;
    }
    return return_to_best(o);
}

/* Brings one class in: as many of its easiest facts as could possibly fit, then shrink and grow. */
static ireneo_error fit_class(overload *o, size_t class) {
    double law = o->work->law, room = ceil(FIRST_OFFER * law) - (double)o->kept;
    IRENEO_TRY(scan_all(o));
    if (room < 1.0) room = 1.0;
    offer_easiest(o, class, (size_t)room, 0);
    IRENEO_TRY(ireneo_attempt_scan(o->work, IRENEO_HARD_KEEP, IRENEO_SCAN_KEPT_ROWS));
    IRENEO_TRY(shrink(o, class, law < LARGE_LAW ? &FINE : &LARGE));
    return o->stopped ? IRENEO_OK : grow(o, class);
}

static ireneo_error allocate_overload(overload *o) {
    ireneo_attempt *w = o->work;
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&o->class_of, o->rows, "classes of facts"));
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&o->loss, o->rows, "losses"));
    IRENEO_TRY(IRENEO_ALLOCATE(&o->order, o->rows, "order of facts"));
    IRENEO_TRY(IRENEO_ALLOCATE(&o->best_given_up, o->rows, "facts given up"));
    IRENEO_TRY(IRENEO_ALLOCATE(&o->best_point, w->minimiser.length, "best memory"));
    IRENEO_TRY(IRENEO_ALLOCATE(&o->given_up, o->rows, "facts given up"));
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&o->recalled, o->rows, "recalled facts"));
    w->given_up = o->given_up + o->holding.first;
    w->recalled = o->recalled + o->holding.first;
    return IRENEO_OK;
}

/* How many rows each rank holds. */
static ireneo_error find_shares(overload *o) {
    ireneo_ranks *ranks = o->holding.ranks;
    void *all = NULL;
    size_t count = 0;
    if (ranks == NULL || ranks->count == 1) return IRENEO_OK;
    IRENEO_TRY(ireneo_ranks_gather(ranks, IRENEO_ALL_RANKS, &o->holding.rows, 1, sizeof o->holding.rows, &all,
                                   &count));
    o->shares = all;
    return IRENEO_OK;
}

static ireneo_error choose(overload *o, ireneo_status *status) {
    ireneo_attempt *w = o->work;
    size_t classes;
    IRENEO_TRY(classify(o, w->settings.weights, &classes));
    memset(o->given_up, 1, o->rows);
    for (size_t c = 0; c < classes && !o->stopped; c++) {
        ireneo_error failed = fit_class(o, c);
        if (failed == IRENEO_ERROR_CANCELLED)
            o->stopped = true; /* during a scan or a check: what was found so far counts */
        else
            IRENEO_TRY(failed);
    }
    IRENEO_TRY(ireneo_attempt_count(w));
    if (w->kept != NULL) memcpy(w->kept, w->recalled, o->holding.rows);
    *status = o->stopped ? IRENEO_STATUS_INTERRUPTED : IRENEO_STATUS_PARTIAL;
    return IRENEO_OK;
}

ireneo_error ireneo_overload(ireneo_attempt *work, ireneo_status *status) {
    overload o = {.work = work, .holding = ireneo_facts_holding(work->facts)};
    o.rows = o.holding.total;
    for (size_t i = 0; work->settings.weights != NULL && i < o.rows; i++)
        if (!(work->settings.weights[i] > 0.0 && isfinite(work->settings.weights[i])))
            return ireneo_fail(IRENEO_ERROR_DATA,
                               "weights: row %zu is %g, but weights must be positive numbers", i,
                               work->settings.weights[i]);
    work->minimiser.adapts = false;
    if (work->settings.margin == 0.0) work->minimiser.margin = work->minimiser.least_margin = MARGIN;
    ireneo_attempt_leave_int16(work);
    ireneo_error failed = ireneo_ranks_agree(o.holding.ranks, allocate_overload(&o));
    if (failed == IRENEO_OK) failed = find_shares(&o);
    if (failed == IRENEO_OK) failed = choose(&o, status);
    free(o.class_of), free(o.loss), free(o.order), free(o.best_given_up), free(o.best_point);
    free(o.given_up), free(o.recalled), free(o.shares);
    work->given_up = work->recalled = NULL;
    return failed;
}
