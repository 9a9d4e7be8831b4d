/* attack_verdicts [instances] [seed] [first]: verdicts of the library on small instances of 17 kinds, each held
 * against exact arithmetic. Prints every wrong one as a number that comes back with `attack_verdicts 1 SEED NUMBER`,
 * and a table by kind. Exit 1 when a verdict is false.
 *
 * The library runs in a process of its own, which is started again after a crash or when an instance does not end. */
#include "trial.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct tally {
    size_t instances, stored, impossible, undecided, false_stored, false_impossible, unproved, false_kept,
        false_count, refused, endless, ties, false_ties;
} tally;

typedef struct worker {
    pid_t process;
    int results;
} worker;

static worker start(uint64_t seed, uint64_t first, uint64_t end) {
    int ends[2];
    fflush(stdout);
    if (pipe(ends) != 0) exit(4);
    pid_t process = fork();
    if (process < 0) exit(4);
    if (process > 0) {
        close(ends[1]);
        return (worker){process, ends[0]};
    }
    close(ends[0]);
    for (uint64_t number = first; number < end; number++) {
        trial t;
        trial_run(&t, seed, number);
        if (write(ends[1], &t, sizeof t) != (ssize_t)sizeof t) _exit(4);
    }
    _exit(0);
}

static void stop(worker *w) {
    kill(w->process, SIGKILL);
    waitpid(w->process, NULL, 0);
    close(w->results);
}

/* The next result; false when the process died or is silent for three deadlines. */
static bool receive(const worker *w, trial *t) {
    struct pollfd wait = {.fd = w->results, .events = POLLIN};
    if (poll(&wait, 1, 3 * 1000 * TRIAL_DEADLINE) <= 0) return false;
    return read(w->results, t, sizeof *t) == (ssize_t)sizeof *t;
}

static void count(tally *row, const trial *t) {
    row->instances++;
    row->stored += t->status == IRENEO_STATUS_STORED;
    row->impossible += t->status == IRENEO_STATUS_IMPOSSIBLE;
    row->undecided += t->status == IRENEO_STATUS_UNDECIDED;
    row->false_stored += t->false_stored;
    row->false_impossible += t->false_impossible;
    row->unproved += t->unproved;
    row->false_kept += t->false_kept;
    row->false_count += t->false_count;
    row->refused += t->refused;
    row->endless += t->endless;
    row->ties += t->ties;
    row->false_ties += t->false_ties;
}

static void print_row(const char *name, const tally *t) {
    printf("%-17s %9zu %6zu %10zu %9zu | %6zu %10zu %8zu %8zu %6zu %7zu %7zu\n", name, t->instances,
           t->stored, t->impossible, t->undecided, t->false_stored, t->false_impossible, t->unproved,
           t->false_kept, t->false_count, t->refused, t->endless);
}

static void print_table(const tally *rows) {
    tally sum = {0};
    printf("%-17s %9s %6s %10s %9s | %6s %10s %8s %8s %6s %7s %7s\n", "kind", "instances", "stored",
           "impossible", "undecided", "stored", "impossible", "unproved", "overload", "check", "refused",
           "endless");
    for (int k = 0; k < KIND_COUNT; k++) {
        print_row(kind_names[k], &rows[k]);
        for (size_t c = 0; c < sizeof sum / sizeof(size_t); c++)
            ((size_t *)&sum)[c] += ((const size_t *)&rows[k])[c];
    }
    print_row("all", &sum);
    printf("right of the bar: false verdicts; besides, %zu of %zu checks of exact ties and of gaps 2^-60 of "
           "the scores "
           "were false\n",
           sum.false_ties, sum.ties);
}

static void print_false(const trial *t, uint64_t seed) {
    printf("FALSE: seed %llu number %llu (%s, %s): %s\n", (unsigned long long)seed,
           (unsigned long long)t->number, kind_names[t->kind], ireneo_status_name(t->status), t->sentence);
}

static uint64_t argument(int argc, char **argv, int at, uint64_t otherwise) {
    return argc > at ? strtoull(argv[at], NULL, 10) : otherwise;
}

int main(int argc, char **argv) {
    uint64_t instances = argument(argc, argv, 1, 10000), seed = argument(argc, argv, 2, 1),
             first = argument(argc, argv, 3, 0);
    tally rows[KIND_COUNT] = {0};
    bool any = false;
    worker w = start(seed, first, first + instances);
    for (uint64_t number = first; number < first + instances; number++) {
        trial t;
        if (!receive(&w, &t)) {
            t = (trial){.number = number,
                        .kind = (int)(number % KIND_COUNT),
                        .endless = true,
                        .status = IRENEO_STATUS_INTERRUPTED,
                        .sentence = "crashed, or did not end"};
            stop(&w);
            w = start(seed, number + 1, first + instances);
        }
        count(&rows[t.kind], &t);
        any = any || trial_false(&t);
        if (trial_false(&t) || instances == 1) print_false(&t, seed);
    }
    stop(&w);
    print_table(rows);
    return any;
}
