/* ireneo figure: makes a figure's data and pictures. */
#include "lab/figures/figure.h"
#include "commands.h"
#include "folder.h"
#include "job.h"
#include "lab/sweep/grid.h"
#include "report.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void print_names(void) {
    size_t longest = 0;
    for (size_t i = 0; i < ireneo_figure_count; i++)
        if (strlen(ireneo_figures[i]->name) > longest) longest = strlen(ireneo_figures[i]->name);
    for (size_t i = 0; i < ireneo_figure_count; i++)
        printf("  %-*s %s\n", (int)longest, ireneo_figures[i]->name, ireneo_figures[i]->summary);
}

/* Own sizes as lists: what they hold, and whether the figure takes them. */
typedef struct size_options {
    const char *dims, *loads;
} size_options;

static int read_sizes(const command *self, const size_options *o, figure_sizes *own) {
    grid list = {0};
    ireneo_error failed = IRENEO_OK;
    if (o->dims != NULL) failed = ireneo_grid_parse("--dim", o->dims, 4, 2000, true, &list);
    if (failed == IRENEO_OK && list.count > FIGURE_MOST_DIMS) {
        ireneo_grid_free(&list);
        return complain(self, EXIT_USAGE, "--dim: no figure takes more than %d dimensions", FIGURE_MOST_DIMS);
    }
    own->dim_count = list.count;
    for (size_t i = 0; i < list.count; i++) own->dims[i] = (size_t)list.values[i];
    ireneo_grid_free(&list);
    list = (grid){0};
    if (failed == IRENEO_OK && o->loads != NULL)
        failed = ireneo_grid_parse("--load", o->loads, 0.01, 4, false, &list);
    own->load_points = list.count;
    if (list.count > 0) own->load_from = list.values[0], own->load_to = list.values[list.count - 1];
    ireneo_grid_free(&list);
    if (failed != IRENEO_OK) return report_error(self, failed);
    if (o->loads != NULL && (strchr(o->loads, ':') == NULL || strchr(o->loads, ',') != NULL))
        return complain(self, EXIT_USAGE, "--load takes FROM:TO:COUNT, not '%s'", o->loads);
    return 0;
}

/* The figures that take an option, for the sentence that refuses it to another. */
static int refuse_size(const command *self, const figure *chosen, const char *size,
                       bool (*takes)(const figure *)) {
    char names[512] = "";
    for (size_t i = 0; i < ireneo_figure_count; i++) {
        size_t length = strlen(names);
        if (takes(ireneo_figures[i]))
            snprintf(names + length, sizeof names - length, "%s%s", length > 0 ? ", " : "",
                     ireneo_figures[i]->name);
    }
    return complain(self, EXIT_USAGE, "%s takes no %s; it is for %s", chosen->name, size, names);
}

static bool takes_dims(const figure *f) {
    return f->takes.most_dims > 0;
}

static bool takes_loads(const figure *f) {
    return f->takes.loads;
}

static bool takes_trials(const figure *f) {
    return f->takes.trials > 0;
}

static bool takes_rows(const figure *f) {
    return f->takes.rows != NULL;
}

static bool takes_thresholds(const figure *f) {
    return f->takes.thresholds;
}

/* The caller's rows and thresholds: files, or, for rows, a folder with a file a figure. */
typedef struct known_files {
    const char *rows, *thresholds;
} known_files;

/* The paths that one figure is made with. */
typedef struct figure_paths {
    char rows[PATH_MAX], thresholds[PATH_MAX], store[PATH_MAX];
} figure_paths;

static int join(const command *self, char path[PATH_MAX], const char *folder, const char *name,
                const char *ending) {
    if (snprintf(path, PATH_MAX, "%s/%s%s", folder, name, ending) < PATH_MAX) return 0;
    return complain(self, EXIT_USAGE, "the path of %s%s is too long", name, ending);
}

/* `chosen`: NULL for all figures. */
static int check_known(const command *self, const figure *chosen, const known_files *known,
                       const char *database) {
    if (known->thresholds != NULL && chosen != NULL && !takes_thresholds(chosen))
        return refuse_size(self, chosen, "--thresholds", takes_thresholds);
    if (known->rows == NULL) return 0;
    if (chosen != NULL && !takes_rows(chosen)) return refuse_size(self, chosen, "--rows", takes_rows);
    if (chosen == NULL && !is_folder(known->rows))
        return complain(self, EXIT_USAGE,
                        "--rows FILE.csv is for one figure; for all of them give a folder that is there");
    if (chosen == NULL && database != NULL)
        return complain(self, EXIT_USAGE,
                        "--db would mix the rows of all figures; leave it out when --rows is a folder");
    return 0;
}

/* Rows, thresholds and store of one figure. The store lies beside the pictures and holds the trials of this figure alone, so
 * that its rows are its own. */
static int choose_files(const command *self, const figure *chosen, const known_files *known,
                        figure_paths *paths, figure_request *request) {
    bool folder = known->rows != NULL && is_folder(known->rows),
         rows = known->rows != NULL && takes_rows(chosen);
    int outcome = 0;
    request->rows = rows ? known->rows : NULL;
    request->thresholds = takes_thresholds(chosen) ? known->thresholds : NULL;
    if (rows && folder) {
        outcome = join(self, paths->rows, known->rows, chosen->takes.rows, ".csv");
        request->rows = paths->rows;
    }
    if (outcome == 0 && folder && takes_thresholds(chosen) && known->thresholds == NULL) {
        outcome = join(self, paths->thresholds, known->rows, "thresholds", ".csv");
        if (access(paths->thresholds, F_OK) == 0) request->thresholds = paths->thresholds;
    }
    if (outcome == 0 && rows && access(request->rows, F_OK) != 0) { /* known now, not after hours */
        const output_file made = {
            .option = "--rows", .path = request->rows, .kind = OUTPUT_TABLE, .heading = "key,"};
        outcome = agree(self, speaks() ? check_outputs(self, &made, 1, NULL, 0) : 0);
    }
    if (outcome == 0 && rows && request->database == NULL) {
        outcome = join(self, paths->store, request->directory, chosen->name, ".db");
        request->database = paths->store;
    }
    return outcome;
}

static int check_sizes(const command *self, const figure *chosen, const figure_sizes *own) {
    const figure_takes *takes = &chosen->takes;
    if (own->dim_count > 0 && !takes_dims(chosen)) return refuse_size(self, chosen, "--dim", takes_dims);
    if (own->load_points > 0 && !takes_loads(chosen)) return refuse_size(self, chosen, "--load", takes_loads);
    if (own->trials > 0 && !takes_trials(chosen)) return refuse_size(self, chosen, "--trials", takes_trials);
    if (own->trials > takes->trials)
        return complain(self, EXIT_USAGE, "%s takes at most %zu trials, not %zu", chosen->name, takes->trials,
                        own->trials);
    if (own->dim_count == 0 || (own->dim_count >= takes->fewest_dims && own->dim_count <= takes->most_dims))
        return 0;
    if (takes->fewest_dims < takes->most_dims)
        return complain(self, EXIT_USAGE, "%s takes %zu to %zu dimensions, not %zu", chosen->name,
                        takes->fewest_dims, takes->most_dims, own->dim_count);
    return complain(self, EXIT_USAGE, "%s takes %zu dimension%s, not %zu", chosen->name, takes->most_dims,
                    takes->most_dims > 1 ? "s" : "", own->dim_count);
}

static int make_one(const command *self, const figure *chosen, const known_files *known,
                    figure_request request) {
    figure_paths paths;
    int outcome = choose_files(self, chosen, known, &paths, &request);
    if (outcome != 0) return outcome;
    ireneo_error failed = ireneo_figure_make(chosen, &request);
    if (failed != IRENEO_OK) return report_error(self, failed);
    finish_progress();
    printf("%s/%s.svg .png .pdf (seed %llu)\n", request.directory, chosen->name,
           (unsigned long long)request.seed);
    fflush(stdout);
    return 0;
}

static int run(const command *self, int argc, char **argv) {
    figure_request request = {.directory = NULL, .seed = 1};
    const char *name = NULL;
    size_t threads = 0, names = 0;
    bool list = false;
    size_options sizes = {0};
    known_files known = {0};
    option options[] = {
        TEXT("o", &request.directory, "DIR", "folder for CSV files and pictures"),
        FLAG("quick", &request.quick, "smaller sizes, fewer repetitions"),
        TEXT("dim", &sizes.dims, "D[,D,D]",
             "own dimensions, as many as the figure has; docs/reproduce.md tells"),
        TEXT("load", &sizes.loads, "A:B:COUNT",
             "own loads n log P / d^2, for linear_1, linear_a1, linear_2 and linear_d1"),
        COUNT("trials", &request.own.trials, "N", "own number of random instances a point", 1, 1000),
        TEXT("rows", &known.rows, "FILE.csv|DIR",
             "trials as CSV, or a folder of NAME.csv, which are not run again; renewed when done or stopped"),
        TEXT("thresholds", &known.thresholds, "FILE.csv",
             "law, linear_c1: thresholds of 'ireneo sweep --threshold --csv', which are drawn as they are"),
        TEXT("db", &request.database, "FILE", "result store of sweeps (default: DIR/results.db)"),
        SEED("seed", &request.seed, "seed of the random numbers (default 1)"),
        THREADS(&threads),
        FLAG("list", &list, "names of all figures"),
        OPTIONS_END,
    };
    int outcome = parse_options(self, argc, argv, options, &name, 0, 1, &names);
    if (outcome != 0) return outcome == PARSE_FINISHED ? EXIT_DONE : outcome;
    if (list) {
        print_names();
        return finish_output(self, EXIT_DONE);
    }
    if (names == 0)
        return complain(self, EXIT_USAGE, "expects the name of a figure or 'all'; --list shows the names");
    if (request.directory == NULL) return complain(self, EXIT_USAGE, "give the output folder with -o DIR");
    outcome = read_sizes(self, &sizes, &request.own);
    const figure *one = NULL;
    for (size_t i = 0; i < ireneo_figure_count && outcome == 0; i++) {
        if (strcmp(name, ireneo_figures[i]->name) == 0) one = ireneo_figures[i];
        if (strcmp(name, "all") == 0 || one == ireneo_figures[i])
            outcome = check_sizes(self, ireneo_figures[i], &request.own);
    }
    if (outcome == 0 && (one != NULL || strcmp(name, "all") == 0))
        outcome = check_known(self, one, &known, request.database);
    if (outcome == 0) outcome = agree(self, speaks() ? make_folder(self, request.directory) : 0);
    if (outcome != 0) return outcome;
    request.threads = (int)threads;
    catch_interrupts();
    request.progress = start_progress();
    bool found = false;
    for (size_t i = 0; i < ireneo_figure_count; i++) {
        const figure *chosen = ireneo_figures[i];
        if (strcmp(name, "all") != 0 && strcmp(name, chosen->name) != 0) continue;
        found = true;
        outcome = make_one(self, chosen, &known, request);
        if (outcome != 0) return outcome;
    }
    if (!found) return complain(self, EXIT_USAGE, "there is no figure '%s'; --list shows the names", name);
    return finish_output(self, EXIT_DONE);
}

const command command_figure = {"figure", "data and pictures of an experiment", run, "NAME|all", ""};
