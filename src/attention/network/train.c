/* Training of a small transformer with Adam: an encoder fills masked positions, a decoder (causal) predicts
 * the symbol that follows each of its own.
 *
 * A batch is cut into groups of one or two sequences; threads take groups, each group has a gradient of its
 * own, and these are added in their order: the result does not depend on the number of threads. */
#include "attention/network/inside.h"
#include "attention/network/masked_text.h"
#include "attention/network/network_settings.h"
#include "attention/network/order_parameters.h"
#include "attention/network/token_ids.h"
#include "base/adam.h"
#include "base/file_view.h"
#include "base/floats.h"
#include "base/pool.h"
#include "base/progress.h"
#include "base/ram.h"
#include "base/random.h"
#include "base/threads.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STREAM_PARAMETERS = 0x41541000, STREAM_HELD_OUT = 0x41542000 };
static const uint64_t STREAM_BATCHES = (uint64_t)0x4154 << 32;

/* Squares over 50 steps rather than 1000, as is usual for transformers: gradients of small batches change
 * their size during the warm-up. Embeddings of rare symbols get no gradient for long, and their means would
 * become denormal. */
static const ireneo_adam_settings ADAM = {.mean_decay = 0.9f, .square_decay = 0.98f, .negligible = 1e-36f};

typedef struct trainer {
    ireneo_attention_train_settings settings;
    ireneo_language_shape shape;
    ireneo_network_scales scales;
    size_t count; /* parameters */
    ireneo_text text;
    size_t groups, group_size; /* batch = groups * group_size */
    int threads;
    float *parameters;           /* (count) */
    float *gradients;            /* (groups, count); the sum ends up in the first */
    int *tokens, *targets;       /* (batch, context) */
    ireneo_language_work *works; /* (threads) */
    double *losses;              /* (groups) */
    ireneo_adam adam;
} trainer;

/* ---- passes over a batch ---- */

static size_t count_asked(const trainer *t) {
    size_t asked = 0, all = t->settings.batch * t->shape.network.context;
    for (size_t i = 0; i < all; i++) asked += t->targets[i] >= 0;
    return asked;
}

typedef struct batch_pass {
    trainer *t;
    double factor;
} batch_pass;

static void pass_group(void *context, size_t group, int thread) {
    const batch_pass *p = context;
    trainer *t = p->t;
    size_t at = group * t->group_size * t->shape.network.context;
    ireneo_language_work *work = &t->works[thread];
    if (p->factor > 0.0) {
        float *gradients = t->gradients + group * t->count;
        memset(gradients, 0, t->count * sizeof *gradients);
        t->losses[group] = ireneo_language_model_gradients(&t->shape, t->parameters, work, t->tokens + at,
                                                           t->targets + at, p->factor, gradients);
    } else {
        t->losses[group] =
            ireneo_language_model_loss(&t->shape, t->parameters, work, t->tokens + at, t->targets + at);
    }
}

/* Sum of the losses over the batch; with factor > 0 also gradients of every group. */
static double pass(trainer *t, double factor) {
    batch_pass p = {t, factor};
    ireneo_share(t->groups, t->threads, pass_group, &p);
    double sum = 0.0;
    for (size_t group = 0; group < t->groups; group++) sum += t->losses[group];
    return sum;
}

static void add_range(void *context, size_t first, size_t last) {
    const trainer *t = context;
    for (size_t group = 1; group < t->groups; group++)
        for (size_t i = first; i < last; i++) t->gradients[i] += t->gradients[group * t->count + i];
}

/* Adds the groups' gradients up in the first one. */
static void add_groups(trainer *t) {
    enum { CHUNK = 1 << 12 };
    ireneo_share_rows(t->count, CHUNK, t->threads, add_range, t);
}

/* ---- steps ---- */

/* Sequence `b` of the batch is what begins at `start`, with its questions. */
static void place(trainer *t, size_t b, size_t start, uint64_t stream) {
    size_t T = t->shape.network.context;
    int *tokens = t->tokens + b * T, *targets = t->targets + b * T;
    if (t->shape.network.causal)
        ireneo_text_follow(&t->text, start, T, tokens, targets);
    else
        ireneo_text_mask(&t->text, start, T, t->settings.mask, t->settings.seed, stream, tokens, targets);
}

/* A sequence that is not there: nothing is asked. */
static void leave_empty(trainer *t, size_t b) {
    size_t T = t->shape.network.context;
    for (size_t i = b * T; i < (b + 1) * T; i++) t->tokens[i] = 0, t->targets[i] = -1;
}

/* Symbols that a sequence takes from the text. */
static size_t reach(const trainer *t) {
    return t->shape.network.context + t->shape.network.causal;
}

static void draw_batch(trainer *t, size_t step) {
    for (size_t b = 0; b < t->settings.batch; b++) {
        uint64_t stream = STREAM_BATCHES + 2 * (step * t->settings.batch + b);
        ireneo_generator generator = {.seed = t->settings.seed, .stream = stream};
        size_t start = (size_t)ireneo_draw_below(&generator, t->text.training - reach(t) + 1);
        place(t, b, start, stream + 1);
    }
}

static double rate_at(const ireneo_attention_train_settings *s, size_t step) {
    if (step < s->warmup) return s->rate * (double)(step + 1) / (double)s->warmup;
    return s->rate * (double)(s->steps - step) / (double)(s->steps - s->warmup);
}

static double take_step(trainer *t, size_t step) {
    draw_batch(t, step);
    size_t asked = count_asked(t);
    if (asked == 0) return t->text.entropy;
    double loss = pass(t, 1.0 / (double)asked) / (double)asked;
    if (!isfinite(loss)) return loss;
    add_groups(t);
    double norm = sqrt(ireneo_square_sum(t->gradients, t->count));
    if (!isfinite(norm)) return norm;
    double shorten = t->settings.clip > 0.0 && norm > t->settings.clip ? t->settings.clip / norm : 1.0;
    ireneo_adam_step(&t->adam, rate_at(&t->settings, step), shorten, t->gradients, t->parameters, t->threads);
    return loss;
}

/* Mean losses over twentieths of the run and over its last tenth. */
typedef struct loss_record {
    double sums[IRENEO_CURVE_POINTS], last_sum;
    size_t counts[IRENEO_CURVE_POINTS], last_count;
} loss_record;

static void record(loss_record *losses, size_t step, size_t steps, double loss) {
    size_t point = step * IRENEO_CURVE_POINTS / steps;
    losses->sums[point] += loss;
    losses->counts[point]++;
    if (step + (steps + 9) / 10 < steps) return;
    losses->last_sum += loss;
    losses->last_count++;
}

static ireneo_error take_steps(trainer *t, ireneo_attention_train_report *report) {
    loss_record losses = {0};
    char stage[32] = "training";
    size_t steps = t->settings.steps;
    for (report->steps = 0; report->steps < steps && !report->diverged; report->steps++) {
        if (ireneo_report(t->settings.progress, stage, (double)report->steps, (double)steps))
            return ireneo_fail(IRENEO_ERROR_CANCELLED, "stopped after %zu of %zu steps", report->steps,
                               steps);
        double loss = take_step(t, report->steps);
        report->diverged = !isfinite(loss);
        record(&losses, report->steps, steps, loss);
        snprintf(stage, sizeof stage, "training, loss %.3f", loss);
    }
    for (size_t i = 0; i < IRENEO_CURVE_POINTS; i++)
        report->curve[i] = losses.counts[i] > 0 ? losses.sums[i] / (double)losses.counts[i] : NAN;
    report->final_loss = report->diverged ? INFINITY : losses.last_sum / (double)losses.last_count;
    return IRENEO_OK;
}

/* Loss of a model that knows frequencies only, summed over the batch. */
static double unigram_loss(const trainer *t) {
    size_t all = t->settings.batch * t->shape.network.context;
    double sum = 0.0;
    for (size_t i = 0; i < all; i++)
        if (t->targets[i] >= 0) sum -= log(t->text.frequency[t->targets[i]]);
    return sum;
}

/* Loss of a model that knows how often symbols follow each other, summed over the batch. */
static double bigram_loss(const trainer *t, const double *surprise) {
    size_t all = t->settings.batch * t->shape.network.context;
    double sum = 0.0;
    for (size_t i = 0; i < all; i++)
        if (t->targets[i] >= 0)
            sum += surprise[(size_t)t->tokens[i] * t->text.distinct + (size_t)t->targets[i]];
    return sum;
}

enum { MOST_PAIRED = 4096 }; /* symbols whose pairs are counted: of more, few pairs occur twice */

/* Mean losses on the last tenth of the text, in sequences that do not overlap, under fixed masks: of the
 * network and, at the same positions, of what needs no look at other tokens, so that the luck of the masks
 * cancels. That is frequencies for an encoder, which does not see the symbol it is asked for, and pairs for a
 * decoder, whose skips carry its own symbol to the output. */
static ireneo_error judge_held_out(trainer *t, ireneo_attention_train_report *report) {
    size_t T = t->shape.network.context, held_out = t->text.length - t->text.training, asked = 0;
    size_t sequences = (held_out - t->shape.network.causal) / T;
    double sum = 0.0, unigram_sum = 0.0, bigram_sum = 0.0, *surprise = NULL;
    if (t->shape.network.causal && t->text.distinct <= MOST_PAIRED)
        IRENEO_TRY(ireneo_text_pairs(&t->text, &surprise));
    for (size_t first = 0; first < sequences; first += t->settings.batch) {
        for (size_t b = 0; b < t->settings.batch; b++) {
            if (first + b < sequences)
                place(t, b, t->text.training + (first + b) * T, STREAM_HELD_OUT + first + b);
            else
                leave_empty(t, b);
        }
        asked += count_asked(t);
        unigram_sum += unigram_loss(t);
        if (surprise != NULL) bigram_sum += bigram_loss(t, surprise);
        if (!report->diverged) sum += pass(t, 0.0);
    }
    report->held_out_unigram = asked > 0 ? unigram_sum / (double)asked : NAN;
    report->held_out_bigram = asked > 0 && surprise != NULL ? bigram_sum / (double)asked : NAN;
    report->held_out_loss = report->diverged ? INFINITY : asked > 0 ? sum / (double)asked : NAN;
    free(surprise);
    return IRENEO_OK;
}

/* ---- the whole run ---- */

static ireneo_error choose(const ireneo_attention_train_settings *given,
                           ireneo_attention_train_settings *chosen) {
    *chosen = (ireneo_attention_train_settings){0};
    if (given != NULL) *chosen = *given;
    IRENEO_TRY(ireneo_check_reserved(chosen->reserved, "the training settings"));
    if (chosen->steps == 0) chosen->steps = 1000;
    if (chosen->batch == 0) chosen->batch = 24;
    if (chosen->warmup == 0) chosen->warmup = chosen->steps / 10;
    if (chosen->rate == 0.0) chosen->rate = 1e-3;
    if (chosen->mask == 0.0) chosen->mask = 0.2;
    if (chosen->clip == 0.0) chosen->clip = 1.0;
    if (chosen->warmup >= chosen->steps && chosen->steps > 1)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the warm-up of %zu steps must end before the run of %zu",
                           chosen->warmup, chosen->steps);
    if (!(chosen->rate > 0.0 && chosen->rate <= 10.0))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the learning rate must lie between 0 and 10, not %g",
                           chosen->rate);
    if (!(chosen->mask > 0.0 && chosen->mask < 1.0))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the masked share must lie between 0 and 1, not %g",
                           chosen->mask);
    if (chosen->batch > 1 << 16 || isnan(chosen->clip))
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "a batch has at most 65536 sequences, not %zu",
                           chosen->batch);
    return IRENEO_OK;
}

static ireneo_error prepare(trainer *t) {
    size_t cells = t->settings.batch * t->shape.network.context;
    t->shape.symbols = t->text.distinct;
    t->shape.tied = t->settings.tied != 0;
    t->count = ireneo_language_model_layout(&t->shape).count;
    t->group_size = t->settings.batch % 2 == 0 ? 2 : 1;
    t->groups = t->settings.batch / t->group_size;
    IRENEO_TRY(ireneo_ram_require((double)t->count * (double)(t->groups + 3) * sizeof(float), "gradients"));
    IRENEO_TRY(IRENEO_ALLOCATE(&t->parameters, t->count, "parameters"));
    IRENEO_TRY(IRENEO_ALLOCATE(&t->gradients, t->groups * t->count, "gradients"));
    IRENEO_TRY(IRENEO_ALLOCATE(&t->tokens, cells, "a batch of text"));
    IRENEO_TRY(IRENEO_ALLOCATE(&t->targets, cells, "a batch of text"));
    IRENEO_TRY(IRENEO_ALLOCATE(&t->losses, t->groups, "losses"));
    IRENEO_TRY(ireneo_adam_open(&ADAM, t->count, &t->adam));
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&t->works, (size_t)t->threads, "activations"));
    for (int i = 0; i < t->threads; i++)
        IRENEO_TRY(ireneo_language_work_create(&t->shape, t->group_size, 1, false, &t->works[i]));
    ireneo_language_model_draw(&t->shape, &t->scales, t->text.frequency, t->settings.seed, STREAM_PARAMETERS,
                               t->parameters);
    return IRENEO_OK;
}

static void release(trainer *t) {
    for (int i = 0; i < t->threads && t->works != NULL; i++) ireneo_language_work_free(&t->works[i]);
    ireneo_adam_close(&t->adam);
    ireneo_text_free(&t->text);
    free(t->works);
    free(t->parameters);
    free(t->gradients);
    free(t->tokens);
    free(t->targets);
    free(t->losses);
}

static ireneo_error run(trainer *t, ireneo_attention_train_report *report) {
    double begin = ireneo_seconds();
    IRENEO_TRY(prepare(t));
    report->symbols = t->text.distinct;
    report->parameters = t->count;
    report->unigram_entropy = t->text.entropy;
    draw_batch(t, 0);
    ireneo_inside before, after;
    size_t looks = t->settings.batch < 4 ? t->settings.batch : 4;
    IRENEO_TRY(ireneo_look_inside(&t->shape, t->parameters, t->tokens, t->targets, looks, &before));
    IRENEO_TRY(take_steps(t, report));
    IRENEO_TRY(judge_held_out(t, report));
    draw_batch(t, 0);
    IRENEO_TRY(ireneo_look_inside(&t->shape, t->parameters, t->tokens, t->targets, looks, &after));
    report->rho_0_before = before.rho_0;
    report->rho_before = before.rho;
    report->entropy_first_before = before.entropy_first;
    report->entropy_before = before.entropy;
    report->rho_0_after = after.rho_0;
    report->rho_after = after.rho;
    report->entropy_first_after = after.entropy_first;
    report->entropy_after = after.entropy;
    report->seconds = ireneo_seconds() - begin;
    return IRENEO_OK;
}

/* A text as its bytes, or (bytes NULL) as ids. */
typedef struct subject {
    const char *name;
    const unsigned char *bytes;
    const int32_t *ids;
    size_t length;
} subject;

static ireneo_error read_subject(const subject *s, size_t context, ireneo_text *text) {
    return s->bytes != NULL ? ireneo_text_read(s->bytes, s->length, context, s->name, text)
                            : ireneo_text_read_ids(s->ids, s->length, context, s->name, text);
}

static ireneo_error train(const ireneo_transformer *transformer, const subject *text,
                          const ireneo_attention_train_settings *settings,
                          ireneo_attention_train_report *report) {
    trainer t = {0};
    IRENEO_TRY(choose(settings, &t.settings));
    IRENEO_TRY(ireneo_network_read(transformer, &t.shape.network, &t.scales));
    IRENEO_TRY(read_subject(text, reach(&t), &t.text));
    ireneo_error failed = ireneo_enter(t.settings.threads, &t.threads);
    if (failed == IRENEO_OK) failed = ireneo_leave(run(&t, report));
    release(&t);
    return failed;
}

ireneo_error ireneo_attention_train(const ireneo_transformer *transformer, const void *text, size_t length,
                                    const ireneo_attention_train_settings *settings,
                                    ireneo_attention_train_report *report) {
    IRENEO_REQUIRE(report != NULL, "training needs a report to be written to");
    *report = (ireneo_attention_train_report){0};
    IRENEO_REQUIRE(text != NULL, "training needs a text");
    const subject whole = {.name = "the text", .bytes = text, .length = length};
    return train(transformer, &whole, settings, report);
}

ireneo_error ireneo_attention_train_tokens(const ireneo_transformer *transformer,
                                           const ireneo_attention_tokens *tokens,
                                           const ireneo_attention_train_settings *settings,
                                           ireneo_attention_train_report *report) {
    IRENEO_REQUIRE(report != NULL, "training needs a report to be written to");
    *report = (ireneo_attention_train_report){0};
    int32_t *ids = NULL;
    subject stream = {.name = "the text"};
    IRENEO_TRY(ireneo_token_stream(tokens, &ids, &stream.length));
    stream.ids = ids;
    ireneo_error failed = train(transformer, &stream, settings, report);
    free(ids);
    return failed;
}

ireneo_error ireneo_attention_train_file(const ireneo_transformer *transformer, const char *path,
                                         const ireneo_attention_train_settings *settings,
                                         ireneo_attention_train_report *report) {
    ireneo_file_view view;
    IRENEO_REQUIRE(report != NULL, "training needs a report to be written to");
    *report = (ireneo_attention_train_report){0};
    IRENEO_REQUIRE(path != NULL, "training needs a text");
    IRENEO_TRY(ireneo_file_view_open(path, &view));
    const subject file = {.name = path, .bytes = view.bytes, .length = view.count};
    ireneo_error failed = train(transformer, &file, settings, report);
    ireneo_file_view_close(&view);
    return failed;
}
