/* ireneo check: how many facts does a memory recall? */
#include "commands.h"
#include "facts_files.h"

#include <stdio.h>

static int print_report(const command *self, const ireneo_check_report *report, bool json_wanted) {
    int exit_code = report->recalled == report->facts ? EXIT_DONE : EXIT_NO;
    char text[40];
    if (!json_wanted) {
        printf("%s of ", grouped((double)report->recalled, text));
        printf("%s facts recalled\n", grouped((double)report->facts, text));
        printf("  smallest margin %.3e score spreads; %zu close calls decided in float64\n", report->margin,
               report->recomputed);
        return finish_output(self, exit_code);
    }
    ireneo_json json = {0};
    ireneo_json_begin_object(&json, NULL);
    ireneo_json_size(&json, "facts", report->facts);
    ireneo_json_size(&json, "recalled", report->recalled);
    ireneo_json_number(&json, "margin", report->margin);
    ireneo_json_size(&json, "recomputed", report->recomputed);
    ireneo_json_end_object(&json);
    return print_json(self, &json, exit_code);
}

static int run(const command *self, int argc, char **argv) {
    const char *files[3] = {NULL}, *targets = NULL;
    size_t threads = 0;
    bool json = false;
    option options[] = {
        {"targets", OPTION_TEXT, &targets, "FILE", "index of each key's value (default: row i to row i)", 0,
         0, false},
        {"threads", OPTION_SIZE, &threads, "N", "threads (default: all cores)", 1, 4096, false},
        {"json", OPTION_FLAG, &json, NULL, "machine-readable report", 0, 0, false},
    };
    int outcome =
        parse_options(self, argc, argv, options, sizeof options / sizeof *options, files, 3, 3, NULL);
    if (outcome != 0) return outcome == PARSE_FINISHED ? EXIT_DONE : outcome;
    catch_interrupts();
    facts_files loaded;
    outcome = load_facts(self, files[1], files[2], targets, &loaded);
    if (outcome != 0) return outcome;
    ireneo_memory *memory = NULL;
    ireneo_check_report report;
    ireneo_error failed = ireneo_memory_load(files[0], &memory);
    if (failed == IRENEO_OK)
        failed = ireneo_check(memory, &loaded.facts, (int)threads, start_progress(), NULL, &report);
    finish_progress();
    outcome = failed == IRENEO_OK ? print_report(self, &report, json) : report_error(self, failed);
    ireneo_memory_free(memory);
    free_facts(&loaded);
    return outcome;
}

const command command_check = {"check", "counts the facts that a memory recalls", run, "MEMORY KEYS VALUES",
                               "A fact counts when its value's score is strictly above all others; what "
                               "float32 cannot decide is computed\n"
                               "in float64. Exit code 0: all facts are recalled; 1: not all."};
