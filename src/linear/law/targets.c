/* Coincidences among targets. Facts with targets in turn share one only when they are more than the candidates; facts drawn
 * by Zipf's law, p_t ~ t^-S, share one with chance sum p_t^2; and facts that were counted, m_t for target t, with chance
 * sum m_t (m_t - 1) / (m (m - 1)), also when some of them are drawn. */
#include "linear/law/targets.h"

#include <math.h>

enum { TERMS = 64 };

/* sum_{t = 1}^{count} t^-power: the first terms, and Euler and Maclaurin's formula for the others. */
static double power_sum(double count, double power) {
    double sum = 0.0, last = fmin(TERMS, floor(count));
    for (double t = 1.0; t <= last; t++) sum += pow(t, -power);
    if (count <= last) return sum;
    double a = last, b = count;
    double integral =
        fabs(power - 1.0) < 1e-9 ? log(b / a) : (pow(b, 1.0 - power) - pow(a, 1.0 - power)) / (1.0 - power);
    double ends = 0.5 * (pow(b, -power) - pow(a, -power));
    return sum + integral + ends + power / 12.0 * (pow(a, -power - 1.0) - pow(b, -power - 1.0));
}

/* Keeps a share among the largest ones. */
static void note_share(ireneo_target_law *law, double share) {
    if (law->heavy == IRENEO_HEAVY && share <= law->share[IRENEO_HEAVY - 1]) return;
    size_t at = law->heavy < IRENEO_HEAVY ? law->heavy++ : IRENEO_HEAVY - 1;
    for (; at > 0 && law->share[at - 1] < share; at--) law->share[at] = law->share[at - 1];
    law->share[at] = share;
}

static ireneo_error count_frequencies(ireneo_target_law *law) {
    double pairs = 0.0;
    for (size_t t = 0; t < (size_t)law->candidates; t++) {
        double m = law->shape->frequencies[t];
        if (!(m >= 0.0 && m <= 1e12))
            return ireneo_fail(IRENEO_ERROR_ARGUMENT, "frequency %zu is %g; they are numbers of facts", t, m);
        law->counted += m;
        pairs += m * fmax(0.0, m - 1.0);
        note_share(law, m);
    }
    if (law->counted < 1.0) return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the frequencies count no fact at all");
    law->coincidence = law->counted > 1.0 ? pairs / (law->counted * (law->counted - 1.0)) : 0.0;
    for (size_t k = 0; k < law->heavy; k++) law->share[k] /= law->counted;
    return IRENEO_OK;
}

ireneo_error ireneo_target_law_make(const ireneo_shape *shape, double candidates, ireneo_target_law *law) {
    *law = (ireneo_target_law){.shape = shape, .candidates = candidates};
    if (shape->frequencies != NULL) return count_frequencies(law);
    if (shape->targets == IRENEO_TARGETS_ZIPF) {
        law->harmonic = power_sum(candidates, shape->zipf);
        law->coincidence = power_sum(candidates, 2.0 * shape->zipf) / (law->harmonic * law->harmonic);
        for (double t = 1.0; t <= fmin(IRENEO_HEAVY, candidates); t++)
            note_share(law, pow(t, -shape->zipf) / law->harmonic);
    }
    return IRENEO_OK;
}

double ireneo_target_coincidence(const ireneo_target_law *law, double facts) {
    if (law->counted > 0.0 || law->shape->targets == IRENEO_TARGETS_ZIPF) return law->coincidence;
    double rounds = floor(facts / law->candidates), rest = facts - rounds * law->candidates;
    if (rounds < 1.0) return 0.0;
    return (law->candidates * rounds * (rounds - 1.0) + 2.0 * rounds * rest) / (facts * (facts - 1.0));
}

/* Of targets that are asked for `mean` times on average: the chance to be asked for at all. */
static double asked_at_all(double mean) {
    return -expm1(-mean);
}

/* The sum over Zipf's law of it: term by term, then along the logarithm of t. */
static double distinct_by_zipf(const ireneo_target_law *law, double facts) {
    enum { STEPS = 200 };
    double sum = 0.0, last = fmin(TERMS, floor(law->candidates)), scale = facts / law->harmonic,
           zipf = law->shape->zipf;
    for (double t = 1.0; t <= last; t++) sum += asked_at_all(scale * pow(t, -zipf));
    double width = log((law->candidates + 0.5) / (last + 0.5)) / STEPS;
    for (int i = 0; i < STEPS && law->candidates > last; i++) {
        double t = (last + 0.5) * exp((i + 0.5) * width);
        sum += asked_at_all(scale * pow(t, -zipf)) * t * width;
    }
    return sum;
}

double ireneo_target_distinct(const ireneo_target_law *law, double facts) {
    if (law->counted > 0.0) {
        double sum = 0.0, left = fmax(0.0, 1.0 - facts / law->counted);
        for (size_t t = 0; t < (size_t)law->candidates; t++)
            if (law->shape->frequencies[t] > 0.0) sum += 1.0 - pow(left, law->shape->frequencies[t]);
        return sum;
    }
    if (law->shape->targets == IRENEO_TARGETS_ZIPF) return distinct_by_zipf(law, facts);
    return fmin(facts, law->candidates);
}
