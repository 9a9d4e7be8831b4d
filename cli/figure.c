/* ireneo figure: makes a figure's data and pictures. */
#include "lab/figures/figure.h"
#include "commands.h"
#include "folder.h"
#include "report.h"

#include <stdio.h>
#include <string.h>

static void print_names(void) {
    for (size_t i = 0; i < ireneo_figure_count; i++)
        printf("  %-16s %s\n", ireneo_figures[i]->name, ireneo_figures[i]->summary);
}

static int run(const command *self, int argc, char **argv) {
    figure_request request = {.directory = NULL, .seed = 1};
    const char *name = NULL;
    size_t threads = 0, names = 0;
    bool list = false;
    option options[] = {
        TEXT("o", &request.directory, "DIR", "folder for CSV files and pictures"),
        FLAG("quick", &request.quick, "smaller sizes, fewer repetitions"),
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
    outcome = make_folder(self, request.directory);
    if (outcome != 0) return outcome;
    request.threads = (int)threads;
    catch_interrupts();
    request.progress = start_progress();
    bool found = false;
    for (size_t i = 0; i < ireneo_figure_count; i++) {
        const figure *chosen = ireneo_figures[i];
        if (strcmp(name, "all") != 0 && strcmp(name, chosen->name) != 0) continue;
        found = true;
        ireneo_error failed = ireneo_figure_make(chosen, &request);
        if (failed != IRENEO_OK) return report_error(self, failed);
        finish_progress();
        printf("%s/%s.svg .png .pdf (seed %llu)\n", request.directory, chosen->name,
               (unsigned long long)request.seed);
        fflush(stdout);
    }
    if (!found) return complain(self, EXIT_USAGE, "there is no figure '%s'; --list shows the names", name);
    return finish_output(self, EXIT_DONE);
}

const command command_figure = {"figure", "data and pictures of an experiment", run, "NAME|all", ""};
