/* CSV files and gnuplot runs behind every figure. */
#include "lab/figures/figure.h"
#include "base/atomic_file.h"
#include "base/error.h"
#include "base/ranks.h"
#include "base/utf8.h"
#include "lab/figures/data_folder.h"
#include "lab/figures/figure_trials.h"
#include "lab/figures/note.h"

#include <errno.h>
#include <fcntl.h>
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
    csv->stream = ireneo_text_open(&csv->text);
    if (csv->stream == NULL) return ireneo_fail(IRENEO_ERROR_MEMORY, "not enough memory for %s", csv->path);
    return IRENEO_OK;
}

ireneo_error ireneo_csv_close(figure_csv *csv, ireneo_error failed) {
    ireneo_ranks *world = ireneo_ranks_world();
    bool complete = ireneo_text_close(csv->stream, &csv->text);
    if (failed == IRENEO_OK && world->rank == 0)
        failed = complete ? ireneo_save_bytes(csv->path, csv->text.bytes, csv->text.length)
                          : ireneo_fail(IRENEO_ERROR_MEMORY, "not enough memory for %s", csv->path);
    free(csv->text.bytes);
    return ireneo_ranks_agree(world, failed);
}

/* The scripts a figure is drawn with. */
typedef struct figure_scripts {
    char style[PATH_MAX], script[PATH_MAX];
} figure_scripts;

static ireneo_error find_scripts(const figure *chosen, figure_scripts *scripts) {
    char name[256];
    snprintf(name, sizeof name, "%s.gp", chosen->name);
    IRENEO_TRY(ireneo_figure_script_path("style.gp", scripts->style, sizeof scripts->style));
    return ireneo_figure_script_path(name, scripts->script, sizeof scripts->script);
}

/* The last line that came through the pipe, without what a terminal would obey; "" when there was none. */
static void read_last_line(int pipe_end, char *line, size_t size) {
    char text[4096];
    size_t used = 0;
    for (ssize_t got; (got = read(pipe_end, text + used, sizeof text - 1 - used)) != 0;) {
        if (got < 0 && errno != EINTR) break;
        if (got > 0) used += (size_t)got;
        if (used == sizeof text - 1) used = 0; /* only the end matters */
    }
    while (used > 0 && strchr(" \r\n\t", text[used - 1]) != NULL) used--;
    text[used] = '\0';
    const char *start = strrchr(text, '\n');
    snprintf(line, size, "%.200s", start != NULL ? start + 1 : text);
    ireneo_make_printable(line);
}

/* Starts gnuplot in the folder. The picture goes to its standard output, what it complains about comes out of *complaints. */
static pid_t start_gnuplot(const char *directory, const char *set, const char *style, const char *script,
                           int picture, int *complaints) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return -1;
    pid_t child = fork();
    if (child == 0) {
        if (chdir(directory) != 0 || dup2(picture, STDOUT_FILENO) < 0 || dup2(ends[1], STDERR_FILENO) < 0)
            _exit(126);
        execlp("gnuplot", "gnuplot", "-e", set, style, script, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    *complaints = ends[0];
    if (child < 0) close(ends[0]);
    return child;
}

static ireneo_error run_gnuplot(const figure_scripts *scripts, const figure *chosen, const char *directory,
                                const char *format, int picture) {
    char set[512];
    const char *style = scripts->style, *script = scripts->script;
    snprintf(set, sizeof set, "name='%s'; format='%s'; file='/dev/stdout'", chosen->name, format);
    char *absolute_style = realpath(style, NULL), *absolute_script = realpath(script, NULL);
    if (absolute_style == NULL || absolute_script == NULL) {
        free(absolute_style);
        free(absolute_script);
        return ireneo_fail(IRENEO_ERROR_IO, "%s: %s", script, strerror(errno));
    }
    char said[256] = "";
    int status = -1, complaints = -1;
    pid_t child = start_gnuplot(directory, set, absolute_style, absolute_script, picture, &complaints);
    if (child > 0) read_last_line(complaints, said, sizeof said);
    if (child > 0) close(complaints);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    free(absolute_style);
    free(absolute_script);
    if (child < 0) return ireneo_fail(IRENEO_ERROR_IO, "gnuplot could not be started: %s", strerror(errno));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        return ireneo_fail(IRENEO_ERROR_IO, "gnuplot is not installed; the data are in %s", directory);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return ireneo_fail(IRENEO_ERROR_IO, "gnuplot failed on %s (%s); the data are in %s", script, said,
                           directory);
    return IRENEO_OK;
}

/* gnuplot's SVG with the figure's title and note in it. */
static ireneo_error draw_described(const figure_scripts *scripts, const figure *chosen, const char *directory,
                                   ireneo_atomic_file *file) {
    ireneo_text text;
    FILE *drawn = tmpfile(), *stream = drawn != NULL ? ireneo_text_open(&text) : NULL;
    if (stream == NULL) {
        if (drawn != NULL) fclose(drawn);
        return ireneo_fail(IRENEO_ERROR_IO, "no temporary file for the picture %s: %s", chosen->name,
                           strerror(errno));
    }
    ireneo_error failed = run_gnuplot(scripts, chosen, directory, "svg", fileno(drawn));
    rewind(drawn);
    if (failed == IRENEO_OK) failed = ireneo_svg_describe(drawn, chosen, directory, stream);
    bool complete = ireneo_text_close(stream, &text);
    if (failed == IRENEO_OK)
        failed = complete ? ireneo_atomic_file_write(file, text.bytes, text.length)
                          : ireneo_fail(IRENEO_ERROR_MEMORY, "not enough memory for %s", chosen->name);
    free(text.bytes);
    fclose(drawn);
    return failed;
}

/* A picture that appears whole or not at all. */
static ireneo_error draw_to(const figure_scripts *scripts, const figure *chosen, const char *directory,
                            const char *format, const char *path) {
    ireneo_atomic_file file;
    IRENEO_TRY(ireneo_atomic_file_begin(&file, path));
    return ireneo_atomic_file_finish(
        &file, strcmp(format, "svg") == 0 ? draw_described(scripts, chosen, directory, &file)
                                          : run_gnuplot(scripts, chosen, directory, format, file.descriptor));
}

static ireneo_error draw_as(const figure_scripts *scripts, const figure *chosen, const char *directory,
                            const char *format) {
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s.%s", directory, chosen->name, format) >= (int)sizeof path)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the path of %s is too long", chosen->name);
    return draw_to(scripts, chosen, directory, format, path);
}

static ireneo_error draw(const figure_scripts *scripts, const figure *chosen, const char *directory) {
    static const char *const formats[] = {"svg", "png", "pdf"};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        IRENEO_TRY(draw_as(scripts, chosen, directory, formats[i]));
    return IRENEO_OK;
}

const char *ireneo_picture_format(const char *path) {
    static const char *const formats[] = {"svg", "png", "pdf"};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot != NULL && i < sizeof formats / sizeof *formats; i++)
        if (strcmp(dot + 1, formats[i]) == 0) return formats[i];
    return NULL;
}

ireneo_error ireneo_figure_picture(const char *name, const char *directory, const char *path) {
    const figure drawn = {.name = name};
    const char *format = ireneo_picture_format(path);
    figure_scripts scripts;
    if (format == NULL)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "%s: a picture is a .svg, .png or .pdf file", path);
    IRENEO_TRY(find_scripts(&drawn, &scripts));
    return draw_to(&scripts, &drawn, directory, format, path);
}

ireneo_error ireneo_figure_draw(const figure *chosen, const char *directory) {
    figure_scripts scripts;
    IRENEO_TRY(find_scripts(chosen, &scripts));
    return draw(&scripts, chosen, directory);
}

ireneo_error ireneo_figure_make(const figure *chosen, const figure_request *request) {
    figure_scripts scripts;
    IRENEO_TRY(find_scripts(chosen, &scripts));
    IRENEO_TRY(ireneo_figure_take_rows(request));
    IRENEO_TRY(ireneo_figure_keep_rows(request, chosen->make(request)));
    ireneo_ranks *world = ireneo_ranks_world();
    return ireneo_ranks_agree(world,
                              world->rank == 0 ? draw(&scripts, chosen, request->directory) : IRENEO_OK);
}

size_t ireneo_figure_dim(const figure_request *request, size_t i, size_t quick, size_t full) {
    if (request->own.dim_count > 0) return request->own.dims[i];
    return request->quick ? quick : full;
}

size_t ireneo_figure_draws(const figure_request *request, size_t quick, size_t full) {
    if (request->own.trials > 0) return request->own.trials;
    return request->quick ? quick : full;
}
