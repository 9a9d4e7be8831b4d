#include "trial.h"

#include "exact_lp.h"
#include "ties.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int past_deadline(void *context, const char *stage, double done, double total) {
    (void)stage, (void)done, (void)total;
    return now() > *(const double *)context;
}

static void say(trial *t, const char *what) {
    size_t used = strlen(t->sentence);
    snprintf(t->sentence + used, sizeof t->sentence - used, "%s%s", used > 0 ? "; " : "", what);
}

static void judge_impossible(trial *t, const ireneo_facts *f, const ireneo_certificate *certificate) {
    ireneo_verify_report report = {0};
    t->unproved =
        certificate == NULL ||
        ireneo_verify(certificate, f, &(ireneo_verify_settings){.threads = 1}, &report) != IRENEO_OK ||
        !report.accepted;
    t->false_impossible = exact_lp(f, NULL) == EXACT_FEASIBLE;
    if (t->unproved) say(t, "impossible, but verify does not accept the proof");
    if (t->false_impossible) say(t, "impossible, but a matrix recalls all facts");
}

/* Whether check agrees with exact arithmetic, fact by fact. */
static bool judge_check(trial *t, const ireneo_facts *f, const ireneo_memory *m, const char *which) {
    unsigned char said[KIND_MOST], true_flags[KIND_MOST];
    ireneo_check_report report = {0};
    char sentence[100];
    if (ireneo_check(m, f, &(ireneo_run_settings){.threads = 1}, said, &report) != IRENEO_OK) {
        t->refused = true;
        snprintf(sentence, sizeof sentence, "check refuses: %.60s", ireneo_last_error());
        say(t, sentence);
        return true;
    }
    size_t wanted = exact_recalled(m, f, true_flags);
    if (report.recalled == wanted && memcmp(said, true_flags, f->facts) == 0) return true;
    snprintf(sentence, sizeof sentence, "check of %s: %zu of %zu recalled, not %zu", which, report.recalled,
             f->facts, wanted);
    say(t, sentence);
    return false;
}

static void attempt(trial *t, const ireneo_facts *f) {
    double deadline = now() + TRIAL_DEADLINE;
    ireneo_progress progress = {past_deadline, &deadline};
    ireneo_store_settings settings = {.threads = 1, .progress = &progress};
    ireneo_store_result result;
    ireneo_memory *m = NULL;
    ireneo_store_info info = {0};
    if (ireneo_store(f, &settings, &m, &result, &info) != IRENEO_OK) {
        t->refused = true;
        t->status = IRENEO_STATUS_UNDECIDED;
        say(t, ireneo_last_error());
        return;
    }
    t->status = info.status;
    t->endless = info.status == IRENEO_STATUS_INTERRUPTED;
    if (info.status == IRENEO_STATUS_IMPOSSIBLE) judge_impossible(t, f, result.certificate);
    if (info.status == IRENEO_STATUS_STORED && exact_recalled(m, f, NULL) != f->facts) {
        t->false_stored = true;
        say(t,
            exact_finite(m) ? "stored, but a fact is not recalled" : "stored, but the memory is not finite");
    }
    if (exact_finite(m) && !judge_check(t, f, m, "the memory")) t->false_count = true;
    ireneo_store_result_free(&result);
    ireneo_memory_free(m);
}

static void attempt_overload(trial *t, const ireneo_facts *f) {
    double deadline = now() + TRIAL_DEADLINE;
    ireneo_progress progress = {past_deadline, &deadline};
    unsigned char recalled[KIND_MOST];
    ireneo_store_settings settings = {.threads = 1, .overload = 1, .progress = &progress};
    ireneo_store_result result;
    ireneo_memory *m = NULL;
    ireneo_store_info info = {0};
    if (ireneo_store(f, &settings, &m, &result, &info) != IRENEO_OK) {
        t->refused = true;
        say(t, "overload refuses");
        say(t, ireneo_last_error());
        return;
    }
    size_t wanted = exact_recalled(m, f, recalled);
    for (size_t i = 0; i < f->facts; i++)
        if (result.kept[i] && !recalled[i]) t->false_kept = true;
    if (info.status == IRENEO_STATUS_INTERRUPTED) t->endless = true, say(t, "overload does not end");
    if (info.recalled > wanted) t->false_kept = true;
    if (t->false_kept) say(t, "overload: a fact said to be recalled is not");
    ireneo_store_result_free(&result);
    ireneo_memory_free(m);
}

/* Gaussian entries at any scale that float32 has. */
static void check_random_memory(trial *t, const ireneo_facts *f, ireneo_generator *g) {
    float matrix[KIND_MOST_DIM * KIND_MOST_DIM];
    double scale = pow(10.0, 74.0 * ireneo_draw_uniform(g) - 37.0);
    for (size_t k = 0; k < f->dim_in * f->dim_out; k++) matrix[k] = (float)(scale * ireneo_draw_normal(g));
    ireneo_memory m = {.dim_in = f->dim_in, .dim_out = f->dim_out, .matrix = matrix};
    if (!judge_check(t, f, &m, "random entries")) t->false_count = true;
}

/* The same facts with offsets: a few that are alike, as equal keys in one text have, at a scale of their own. */
static void attempt_offsets(trial *t, const ireneo_facts *plain, ireneo_generator *g) {
    float residuals[KIND_MOST * KIND_MOST_DIM];
    ireneo_facts f = *plain;
    double scale = ireneo_draw_below(g, 3) == 0 ? pow(10.0, 20.0 * ireneo_draw_uniform(g) - 10.0) : 1.0;
    bool whole = ireneo_draw_below(g, 2) == 0;
    for (size_t i = 0; i < f.facts; i++)
        for (size_t a = 0; a < f.dim_out; a++) {
            double entry = whole ? (double)kind_between(g, 0, 2) - 1.0 : ireneo_draw_normal(g);
            residuals[i * f.dim_out + a] = i > 0 && ireneo_draw_below(g, 3) == 0
                                               ? residuals[(i - 1) * f.dim_out + a]
                                               : (float)(scale * entry);
        }
    f.residuals = residuals;
    ireneo_status before = t->status;
    attempt(t, &f);
    check_random_memory(t, &f, g);
    t->status = before;
}

static void check_ties(trial *t, ireneo_generator *g) {
    ties instance;
    ties_make(&instance, g);
    t->ties = true;
    t->false_ties = !judge_check(t, &instance.facts, &instance.memory, "ties");
}

void trial_run(trial *t, uint64_t seed, uint64_t number) {
    kind_instance it;
    ireneo_generator g = {.seed = seed, .stream = ~number};
    kind_make(&it, seed, number);
    *t = (trial){.number = number, .kind = it.kind};
    attempt(t, &it.facts);
    if (number / KIND_COUNT % 4 == 0) attempt_overload(t, &it.facts);
    check_random_memory(t, &it.facts, &g);
    if (number / KIND_COUNT % 2 == 0) check_ties(t, &g);
    if (number / KIND_COUNT % 2 == 1) attempt_offsets(t, &it.facts, &g);
}

bool trial_false(const trial *t) {
    return t->false_stored || t->false_impossible || t->unproved || t->false_kept || t->false_count ||
           t->refused || t->endless;
}
