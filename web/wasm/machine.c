/* What the theory asks of the machine, answered by a browser: one thread, and no way to know how much memory is left. */
#include "attention_try.h"
#include "base/parallel.h"
#include "base/ram.h"
#include "base/threads.h"
#include "report.h"
#include "target_frequencies.h"

ireneo_error ireneo_enter(int requested, int *threads) {
    (void)requested;
    if (threads != NULL) *threads = 1;
    return IRENEO_OK;
}

ireneo_error ireneo_leave(ireneo_error outcome) {
    return outcome;
}

ireneo_error ireneo_parallel(size_t count, int threads, const ireneo_progress *progress, const char *stage,
                             ireneo_task task, void *context) {
    (void)threads, (void)progress, (void)stage;
    for (size_t index = 0; index < count; index++) IRENEO_TRY(task(context, index, 0));
    return IRENEO_OK;
}

ireneo_error ireneo_ram_require(double bytes, const char *what) {
    (void)bytes, (void)what; /* the allocation will tell */
    return IRENEO_OK;
}

void finish_progress(void) {} /* there is no line to wipe */

ireneo_error ireneo_free_entropy_of_rank(double load, size_t candidates, double rank_share, double aspect,
                                         size_t draws, uint64_t seed, ireneo_free_entropy_report *report) {
    (void)load, (void)candidates, (void)rank_share, (void)aspect, (void)draws, (void)seed, (void)report;
    return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the page draws no random numbers");
}

ireneo_error ireneo_capacity_top(const ireneo_shape *shape, size_t top, double *facts) {
    (void)shape, (void)facts;
    return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the page asks for the best answer alone, not for %d",
                       (int)top);
}

int load_frequencies(const command *self, const char *path, double candidates, double **frequencies,
                     double *facts) {
    (void)candidates, (void)frequencies, (void)facts;
    return complain(self, EXIT_DATA, "%s: the page reads no files", path);
}

int check_text(const command *self, const char *text) {
    return complain(self, EXIT_DATA, "%s: the page reads no files", text);
}

int try_recommendation(const command *self, const char *text, const ireneo_transformer *architecture,
                       const ireneo_attention_recommend_settings *settings, size_t steps, ireneo_json *json) {
    (void)architecture, (void)settings, (void)steps, (void)json;
    return complain(self, EXIT_USAGE, "the page trains nothing on %s; the program does", text);
}
