/* Output, exit codes, the progress line and the interrupt flag. */
#include "report.h"

#include "base/utf8.h"
#include "progress.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Whether the program behind a pipe has closed it, as `head` does when it has seen enough. */
static bool reader_left(void) {
    struct pollfd output = {.fd = STDOUT_FILENO};
    return poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
}

int finish_output(const command *self, int exit_code) {
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) return exit_code;
    if (errno == EPIPE || reader_left()) return EXIT_MACHINE; /* nothing to complain of */
    return complain(self, EXIT_MACHINE, "cannot write the result: %s",
                    errno != 0 ? strerror(errno) : "an earlier line was refused");
}

int print_json(const command *self, ireneo_json *json, int exit_code) {
    if (json->broken) return complain(self, EXIT_MACHINE, "not enough memory for the JSON report");
    puts(json->text);
    ireneo_json_free(json);
    return finish_output(self, exit_code);
}

int report_error(const command *self, ireneo_error error) {
    finish_progress();
    switch (error) {
    case IRENEO_OK:
        return EXIT_DONE;
    case IRENEO_ERROR_ARGUMENT:
        return complain(self, EXIT_USAGE, "%s", ireneo_last_error());
    case IRENEO_ERROR_DATA:
        return complain(self, EXIT_DATA, "%s", ireneo_last_error());
    case IRENEO_ERROR_CANCELLED:
        return complain(self, EXIT_INTERRUPTED, "interrupted");
    case IRENEO_ERROR_MEMORY:
    case IRENEO_ERROR_IO:
    case IRENEO_ERROR_NUMERIC:
        break;
    }
    return complain(self, EXIT_MACHINE, "%s", ireneo_last_error());
}

void print_words(const char *text) {
    for (size_t length; *text != '\0'; text += length > 0 ? length : 1) {
        length = ireneo_utf8_character(text);
        if (length == 0 || ireneo_utf8_is_control(text, length))
            putchar('?');
        else
            fwrite(text, 1, length, stdout);
    }
}

const char *grouped(double value, char *buffer) {
    char digits[32];
    if (!(fabs(value) < 1e15)) {
        snprintf(buffer, 40, "%.3e", value);
        return buffer;
    }
    int length = snprintf(digits, sizeof digits, "%.0f", value), out = 0;
    for (int i = 0; i < length; i++) {
        if (i > 0 && digits[i - 1] != '-' && (length - i) % 3 == 0) buffer[out++] = ' ';
        buffer[out++] = digits[i];
    }
    buffer[out] = '\0';
    return buffer;
}

/* ---- interrupts ---- */

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
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN) /* nohup stays nohup */
        sigaction(SIGHUP, &action, NULL);
}

bool interrupted(void) {
    return stop_requested != 0;
}

/* ---- the progress line ---- */

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

static int show_progress(void *context, const char *stage, double done, double total) {
    (void)context;
    char text[PROGRESS_LINE];
    double t = now();
    write_progress(&line.view, stage, done, total, t, text);
    if (isatty(STDERR_FILENO) && t - line.view.start > 2.0 && t - line.last_shown > 0.2) {
        fprintf(stderr, "\r\033[K%s", text);
        fflush(stderr);
        line.visible = true;
        line.last_shown = t;
    }
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
