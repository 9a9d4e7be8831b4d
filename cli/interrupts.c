/* The interrupt flag and the progress line. */
#include "job.h"
#include "progress.h"
#include "report.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t stop_requested;

static void on_signal(int number) {
    if (stop_requested) { /* the second one, of whichever kind, ends the program */
        signal(number, SIG_DFL);
        raise(number);
    }
    stop_requested = 1;
}

void catch_interrupts(void) {
    struct sigaction action, before;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    sigemptyset(&action.sa_mask);
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN) /* nohup stays nohup */
        sigaction(SIGHUP, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL); /* the last: who sees it caught, sees all of them caught */
}

bool interrupted(void) {
    return stop_requested != 0;
}

static struct {
    progress_view view;
    double last_shown;
    bool visible;
} line;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static const char *state; /* not yet named */

void name_state(const char *path) {
    state = path;
}

static void tell_state(void) {
    finish_progress();
    if (speaks() && state != NULL)
        fprintf(stderr,
                "ireneo: stopping; what was done is kept in %s, and the same command with --resume goes on\n",
                state);
    state = NULL;
}

static int show_progress(void *context, const char *stage, double done, double total) {
    (void)context;
    char text[PROGRESS_LINE];
    double t = now();
    write_progress(&line.view, stage, done, total, t, text);
    if (speaks() && isatty(STDERR_FILENO) && t - line.view.start > 2.0 && t - line.last_shown > 0.2) {
        fprintf(stderr, "\r\033[K%s", text);
        fflush(stderr);
        line.visible = true;
        line.last_shown = t;
    }
    if (interrupted() && state != NULL) tell_state();
    return interrupted();
}

ireneo_progress *start_progress(void) {
    static ireneo_progress progress;
    memset(&line, 0, sizeof line);
    line.view.start = now();
    progress = (ireneo_progress){show_progress, NULL};
    return &progress;
}

void finish_progress(void) {
    if (!line.visible) return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    line.visible = false;
}
