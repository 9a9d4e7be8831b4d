/* A request's database, or results.db in its folder; a request's threads and progress. */
#include "lab/figures/figure_trials.h"
#include "base/error.h"

ireneo_error ireneo_figure_store(const figure_request *request, results **store) {
    char path[4096];
    if (request->database != NULL) return ireneo_results_open_shared(request->database, 60.0, store);
    if (snprintf(path, sizeof path, "%s/results.db", request->directory) >= (int)sizeof path)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the path of the output folder is too long");
    return ireneo_results_open_shared(path, 60.0, store);
}

queue_settings ireneo_figure_queue(const figure_request *request, const char *stage) {
    return (queue_settings){.threads = request->threads, .stage = stage, .progress = request->progress};
}
