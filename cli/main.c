/* ireneo: finds the command and hands over. */
#include "address_space.h"
#include "base/processor.h"
#include "commands.h"
#include "completion.h"
#include "ireneo.h"
#include "job.h"
#include "report.h"
#include "version.h"

#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_overview(FILE *stream) {
    fprintf(stream,
            "ireneo %s: how many facts a neural memory holds, storing them, and proving it\n\nusage: ireneo "
            "COMMAND ...\n\n",
            ireneo_version());
    for (const command *const *c = all_commands; *c != NULL; c++)
        fprintf(stream, "  %-12s %s\n", (*c)->name, (*c)->summary);
    fprintf(stream, "\n'ireneo COMMAND --help' explains a command. 'ireneo --version [--json]' tells version "
                    "and build.\n");
}

/* A processor that is asked for in vain is refused also by commands that never scan. */
static int run_command(const command *c, int argc, char **argv) {
    ireneo_error failed = ireneo_processor_check();
    return failed == IRENEO_OK ? run_in_job(c, argc, argv) : report_error(c, failed);
}

/* The exit code of what was told to nobody in particular. Launchers end all processes when one fails: only the one that
 * speaks does, after it spoke. */
static int usage_code(bool prints) {
    return prints ? EXIT_USAGE : EXIT_DONE;
}

int main(int argc, char **argv) {
    static const command overview = {"", "", NULL, "", ""};
    bool prints = begin_output();
    take_address_space();
    mallopt(M_TRIM_THRESHOLD, 256 << 20); /* many small stores reuse their pages */
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is a failed write, reported like any other, */
    signal(SIGXFSZ, SIG_IGN); /* and so is a file beyond the limit of its size */
    if (argc < 2) {
        if (prints) print_overview(stderr);
        return usage_code(prints);
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
        print_overview(stdout);
        return finish_output(&overview, EXIT_DONE);
    }
    if (strcmp(argv[1], "--version") == 0) return print_version(argc - 2, argv + 2);
    if (strcmp(argv[1], "--completion") == 0) return print_completion(argc - 2, argv + 2);
    for (const command *const *c = all_commands; *c != NULL; c++)
        if (strcmp(argv[1], (*c)->name) == 0) return run_command(*c, argc - 2, argv + 2);
    if (prints) fprintf(stderr, "ireneo: there is no command '%s'; 'ireneo --help' lists them\n", argv[1]);
    return usage_code(prints);
}
