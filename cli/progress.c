/* What is done is the most that was ever reported, since solvers give facts up and take them back. The time left is told
 * from the speed of the stage so far; an estimate that would grow is not shown, and a stage that needs twice what was
 * promised promises nothing more: how long a choice of facts takes is not known. */
#include "progress.h"

#include "report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double FIRST_SHARE = 0.05, FIRST_SECONDS = 1.0; /* before anything is promised */
static const double COUNTED = 10.0; /* totals from which on they are numbers of things */

static progress_stage *find_stage(progress_view *view, const char *name, double time) {
    for (size_t k = 0; k < view->count; k++)
        if (strncmp(view->stages[k].name, name, sizeof view->stages[k].name - 1) == 0)
            return &view->stages[k];
    size_t place = view->count < PROGRESS_STAGES ? view->count++ : PROGRESS_STAGES - 1;
    progress_stage *stage = &view->stages[place];
    *stage = (progress_stage){.start = time};
    snprintf(stage->name, sizeof stage->name, "%s", name);
    return stage;
}

static void write_duration(double seconds, char *buffer, size_t size) {
    if (seconds < 100.0)
        snprintf(buffer, size, "%.0f s", seconds);
    else if (seconds < 6000.0)
        snprintf(buffer, size, "%.0f min", seconds / 60.0);
    else
        snprintf(buffer, size, "%.1f h", seconds / 3600.0);
}

/* Seconds left, or NAN when nothing can be said. */
static double time_left(progress_stage *stage, double share, double time) {
    double spent = time - stage->start, rest = spent * (1.0 - share) / share;
    if (stage->doubted || share < FIRST_SHARE || share >= 1.0 || spent < FIRST_SECONDS) return NAN;
    if (stage->end == 0.0 || time + rest < stage->end) stage->end = time + rest;
    stage->doubted = rest > 2.0 * (stage->end - time) + 1.0;
    return stage->doubted ? NAN : fmax(0.0, stage->end - time);
}

/* "storing facts: 2 500 of 7 000 (36 %)"; a stage that comes again and again tells only which time it is. */
static void write_share(const progress_stage *stage, double total, char *text, size_t size) {
    char so_far[40], all[40];
    double share = total > 0.0 ? stage->most / total : 0.0;
    if (stage->passes > 0)
        snprintf(text, size, "%s, pass %zu", stage->name, stage->passes + 1);
    else if (total >= COUNTED && total == floor(total))
        snprintf(text, size, "%s: %s of %s (%.0f %%)", stage->name, grouped(floor(stage->most), so_far),
                 grouped(total, all), floor(100.0 * share));
    else
        snprintf(text, size, "%s: %.0f %%", stage->name, floor(100.0 * share));
}

void write_progress(progress_view *view, const char *name, double done, double total, double time,
                    char line[PROGRESS_LINE]) {
    char what[112], spent[32], left[32] = "";
    progress_stage *stage = find_stage(view, name, time);
    if (total > 0.0 && stage->most >= total && done < 0.5 * total) {
        stage->passes++;
        stage->most = 0.0;
    }
    stage->most = fmax(stage->most, total > 0.0 ? fmin(done, total) : done);
    double share = total > 0.0 ? stage->most / total : 0.0;
    double rest = stage->passes == 0 ? time_left(stage, share, time) : NAN;
    write_share(stage, total, what, sizeof what);
    write_duration(time - view->start, spent, sizeof spent);
    if (rest >= 1.0) write_duration(rest, left, sizeof left);
    snprintf(line, PROGRESS_LINE, "%s, %s%s%s%s", what, spent, left[0] != '\0' ? ", " : "", left,
             left[0] != '\0' ? " left" : "");
}
