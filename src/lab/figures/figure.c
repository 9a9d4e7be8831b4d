/* CSV files and gnuplot runs behind every figure. */
#include "lab/figures/figure.h"
#include "base/error.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

ireneo_error ireneo_csv_open(const figure_request *request, const char *file_name, figure_csv *csv) {
    memset(csv, 0, sizeof *csv);
    if (snprintf(csv->path, sizeof csv->path, "%s/%s", request->directory, file_name) >=
        (int)sizeof csv->path)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the path of %s is too long", file_name);
    csv->stream = open_memstream(&csv->text, &csv->length);
    if (csv->stream == NULL) return ireneo_fail(IRENEO_ERROR_MEMORY, "not enough memory for %s", csv->path);
    return IRENEO_OK;
}

ireneo_error ireneo_csv_close(figure_csv *csv, ireneo_error failed) {
    bool complete = fclose(csv->stream) == 0;
    if (failed == IRENEO_OK)
        failed = complete ? ireneo_save_bytes(csv->path, csv->text, csv->length)
                          : ireneo_fail(IRENEO_ERROR_MEMORY, "not enough memory for %s", csv->path);
    free(csv->text);
    return failed;
}

/* The folder with the gnuplot scripts: named by IRENEO_FIGURES, in the source tree above the program, or
 * installed. */
static ireneo_error find_scripts(char *folder, size_t size) {
    const char *named = getenv("IRENEO_FIGURES");
    char program[PATH_MAX] = "", probe[PATH_MAX + 32];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length > 0) program[length] = '\0';
    char *slash = strrchr(program, '/');
    if (slash != NULL) *slash = '\0';
    const char *const tails[] = {"/../figures", "/../../figures", "/../share/ireneo/figures"};
    for (size_t i = 0; i < 1 + sizeof tails / sizeof *tails; i++) {
        if (i == 0 && named == NULL) continue;
        int written = i == 0 ? snprintf(folder, size, "%s", named)
                             : snprintf(folder, size, "%s%s", program, tails[i - 1]);
        if (written < 0 || (size_t)written >= size) continue;
        snprintf(probe, sizeof probe, "%s/style.gp", folder);
        if (access(probe, R_OK) == 0) return IRENEO_OK;
    }
    return ireneo_fail(
        IRENEO_ERROR_IO,
        "the gnuplot scripts were not found; set IRENEO_FIGURES to the folder that holds style.gp");
}

static ireneo_error run_gnuplot(const char *folder, const figure *chosen, const char *directory,
                                const char *format) {
    char set[2 * PATH_MAX], style[PATH_MAX + 32], script[PATH_MAX + 128];
    snprintf(set, sizeof set, "name='%s'; format='%s'", chosen->name, format);
    snprintf(style, sizeof style, "%s/style.gp", folder);
    snprintf(script, sizeof script, "%s/%s.gp", folder, chosen->name);
    char *absolute_style = realpath(style, NULL), *absolute_script = realpath(script, NULL);
    if (absolute_style == NULL || absolute_script == NULL) {
        free(absolute_style);
        free(absolute_script);
        return ireneo_fail(IRENEO_ERROR_IO, "%s: %s", script, strerror(errno));
    }
    pid_t child = fork();
    if (child == 0) {
        if (chdir(directory) != 0) _exit(126);
        execlp("gnuplot", "gnuplot", "-e", set, absolute_style, absolute_script, (char *)NULL);
        _exit(127);
    }
    int status = -1;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    free(absolute_style);
    free(absolute_script);
    if (child < 0) return ireneo_fail(IRENEO_ERROR_IO, "gnuplot could not be started: %s", strerror(errno));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        return ireneo_fail(IRENEO_ERROR_IO, "gnuplot is not installed; the data are in %s", directory);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return ireneo_fail(IRENEO_ERROR_IO, "gnuplot failed on %s; the data are in %s", script, directory);
    return IRENEO_OK;
}

static ireneo_error draw(const char *folder, const figure *chosen, const char *directory) {
    static const char *const formats[] = {"svg", "png", "pdf"};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        IRENEO_TRY(run_gnuplot(folder, chosen, directory, formats[i]));
    return IRENEO_OK;
}

ireneo_error ireneo_figure_draw(const figure *chosen, const char *directory) {
    char folder[PATH_MAX];
    IRENEO_TRY(find_scripts(folder, sizeof folder));
    return draw(folder, chosen, directory);
}

ireneo_error ireneo_figure_make(const figure *chosen, const figure_request *request) {
    char folder[PATH_MAX];
    IRENEO_TRY(find_scripts(folder, sizeof folder));
    IRENEO_TRY(chosen->make(request));
    return draw(folder, chosen, request->directory);
}
