/* Ranks of a job at the program's surface. */
#include "job.h"

#include "alike.h"
#include "base/clock.h"
#include "base/ranks.h"
#include "base/threads.h"
#include "report.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PHASES = 16, SENTENCE = 1024, HOST = 64 };

/* How long a rank that failed alone waits for the others before it ends the job: they may be waiting for it. */
static const double PATIENCE = 10.0;

static struct {
    const char *name;
    double seconds;
} phases[PHASES];
static size_t phase_count;
static double phase_began;
static uint64_t all_sent;
static double longest_wait;

bool speaks(void) {
    return ireneo_ranks_world()->rank == 0;
}

/* ---- one voice ---- */

static void be_silent(void) {
    keep_sentences();
    if (freopen("/dev/null", "w", stdout) == NULL) fclose(stdout);
}

bool begin_output(void) {
    size_t rank = 0;
    bool prints = ireneo_ranks_launched(&rank) <= 1 || rank == 0;
    if (!prints) be_silent();
    return prints;
}

/* What one rank tells the others about itself. */
typedef struct verdict {
    int code;
    char host[HOST], sentence[SENTENCE];
} verdict;

static void tell_of(const command *self, size_t rank, const verdict *v) {
    if (v->sentence[0] != '\0') complain(self, v->code, "rank %zu on %s: %s", rank, v->host, v->sentence);
}

int agree(const command *self, int outcome) {
    ireneo_ranks *world = ireneo_ranks_world();
    if (world->count == 1 || !ireneo_ranks_any(world, outcome != 0)) return outcome;
    verdict mine = {.code = outcome};
    void *gathered = NULL;
    size_t count = 0, first = 0;
    gethostname(mine.host, sizeof mine.host - 1);
    if (outcome != 0) snprintf(mine.sentence, sizeof mine.sentence, "%s", kept_sentence());
    if (ireneo_ranks_gather(world, IRENEO_ALL_RANKS, &mine, 1, sizeof mine, &gathered, &count) != IRENEO_OK)
        return complain(self, EXIT_MACHINE, "%s", ireneo_last_error());
    const verdict *all = gathered;
    while (all[first].code == 0) first++;
    if (first > 0 && speaks()) tell_of(self, first, &all[first]);
    outcome = all[first].code;
    world->agreed = true;
    free(gathered);
    return outcome;
}

/* ---- threads ---- */

/* A whole number from the environment, as "8" or "8,2" or "8(x2)" say it; 0 when there is none. */
static int number_from(const char *name) {
    const char *text = getenv(name); /* NOLINT(concurrency-mt-unsafe): before there are threads */
    long number = text != NULL ? strtol(text, NULL, 10) : 0;
    return number > 0 && number <= IRENEO_MOST_THREADS ? (int)number : 0;
}

typedef struct seat {
    uint64_t node;
    cpu_set_t cores;
} seat;

/* The cores that the ranks of this node may use, shared evenly; of one that is bound to fewer, those. */
static int share_of_cores(ireneo_ranks *world) {
    seat mine = {.node = world->node};
    void *gathered = NULL;
    size_t count = 0;
    cpu_set_t node;
    CPU_ZERO(&mine.cores);
    CPU_ZERO(&node);
    if (sched_getaffinity(0, sizeof mine.cores, &mine.cores) != 0) CPU_SET(0, &mine.cores);
    if (ireneo_ranks_gather(world, IRENEO_ALL_RANKS, &mine, 1, sizeof mine, &gathered, &count) != IRENEO_OK)
        return 1;
    const seat *all = gathered;
    for (size_t k = 0; k < count; k++)
        if (all[k].node == mine.node) CPU_OR(&node, &node, &all[k].cores);
    free(gathered);
    int share = CPU_COUNT(&node) / (int)world->ranks_in_node, own = CPU_COUNT(&mine.cores);
    return share < 1 ? 1 : share < own ? share : own;
}

static void choose_threads(ireneo_ranks *world) {
    int share = share_of_cores(world), asked = number_from("OMP_NUM_THREADS");
    if (asked == 0) asked = number_from("SLURM_CPUS_PER_TASK");
    ireneo_thread_default(asked > 0 ? asked : share);
}

/* ---- the job ---- */

static bool asks_for_help(int argc, char **argv) {
    for (int k = 0; k < argc; k++)
        if (strcmp(argv[k], "--help") == 0 || strcmp(argv[k], "-h") == 0) return true;
    return false;
}

/* Commands whose work is spread over ranks. What the others do is done once, by one process. */
static bool gains_from_ranks(const command *c, int argc, char **argv) {
    static const char *const GAIN[] = {"store", "check", "recall", "verify", "sweep", "figure"};
    if (asks_for_help(argc, argv)) return true;
    if (strcmp(c->name, "dense") == 0) return argc > 0 && strcmp(argv[0], "simulate") == 0;
    for (size_t k = 0; k < sizeof GAIN / sizeof GAIN[0]; k++)
        if (strcmp(c->name, GAIN[k]) == 0) return true;
    return false;
}

static int run_as_rank(const command *c, int argc, char **argv) {
    ireneo_ranks *world = ireneo_ranks_world();
    int outcome = check_alike(c, argc, argv);
    if (outcome != 0) return outcome;
    if (!gains_from_ranks(c, argc, argv))
        return complain(c, EXIT_USAGE,
                        "does its work in one process, but %zu were started; leave out mpirun or srun",
                        world->count);
    choose_threads(world);
    return c->run(c, argc, argv);
}

/* All ranks meet at the end. One that failed without the others' knowledge does not wait for ever: they may be waiting for
 * its rows. */
static int meet(const command *c, int outcome) {
    ireneo_ranks *world = ireneo_ranks_world();
    bool alone = outcome != 0 && kept_sentence()[0] != '\0' && !world->agreed;
    if (ireneo_ranks_meet(world, alone ? PATIENCE : 0.0)) return agree(c, outcome);
    if (!speaks()) fprintf(stderr, "ireneo %s: rank %zu: %s\n", c->name, world->rank, kept_sentence());
    ireneo_ranks_abort(outcome);
}

int run_in_job(const command *c, int argc, char **argv) {
    ireneo_error failed = ireneo_ranks_begin();
    if (failed != IRENEO_OK) return report_error(c, failed);
    if (ireneo_ranks_world()->count == 1) return c->run(c, argc, argv);
    if (!speaks()) be_silent();
    int outcome = meet(c, run_as_rank(c, argc, argv));
    ireneo_ranks_end();
    return outcome;
}

/* ---- the report ---- */

static void close_phase(void) {
    if (phase_count > 0) phases[phase_count - 1].seconds += ireneo_seconds() - phase_began;
    phase_began = ireneo_seconds();
}

void add_phase(const char *name, double seconds) {
    if (phase_count == PHASES) return;
    phases[phase_count].name = name;
    phases[phase_count++].seconds = seconds;
}

void begin_phase(const char *name) {
    close_phase();
    add_phase(name, 0.0);
}

void end_phases(void) {
    ireneo_ranks *world = ireneo_ranks_world();
    close_phase();
    all_sent = ireneo_ranks_sum(world, world->bytes_sent);
    longest_wait = ireneo_ranks_largest(world, world->seconds_waiting);
}

void add_job(ireneo_json *json) {
    const ireneo_ranks *world = ireneo_ranks_world();
    ireneo_json_size(json, "ranks", world->count);
    ireneo_json_size(json, "nodes", world->nodes);
    ireneo_json_size(json, "bytes_sent", all_sent);
    ireneo_json_begin_object(json, "seconds_by_phase");
    for (size_t k = 0; k < phase_count; k++) ireneo_json_number(json, phases[k].name, phases[k].seconds);
    ireneo_json_number(json, "waiting", longest_wait);
    ireneo_json_end_object(json);
}
