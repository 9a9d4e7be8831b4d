/* Notes as files, and as title and description of an SVG. */
#include "lab/figures/note.h"
#include "base/atomic_file.h"
#include "base/error.h"
#include "base/file_view.h"
#include "base/ranks.h"

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static ireneo_error note_path(const char *directory, const char *name, char path[PATH_MAX]) {
    if (snprintf(path, PATH_MAX, "%s/%s_note.txt", directory, name) >= PATH_MAX)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the path of %s is too long", name);
    return IRENEO_OK;
}

ireneo_error ireneo_figure_note(const figure_request *request, const char *name, const char *format, ...) {
    char path[PATH_MAX], text[1024];
    va_list values;
    IRENEO_TRY(note_path(request->directory, name, path));
    va_start(values, format);
    int length = vsnprintf(text, sizeof text - 1, format, values);
    va_end(values);
    if (length < 0 || (size_t)length >= sizeof text - 1)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the note of %s is too long", name);
    if (length > 0) text[length++] = '\n'; /* style.gp counts the lines by their ends */
    ireneo_ranks *world = ireneo_ranks_world();
    return ireneo_ranks_agree(world,
                              world->rank == 0 ? ireneo_save_bytes(path, text, (size_t)length) : IRENEO_OK);
}

const char *ireneo_dims_text(const size_t *dims, size_t count, char text[DIMS_TEXT]) {
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < count && used + 24 < DIMS_TEXT; i++)
        used += (size_t)snprintf(text + used, DIMS_TEXT - used, i > 0 ? ", %zu" : "%zu", dims[i]);
    return text;
}

/* Text as XML, lines joined. */
static void write_escaped(FILE *stream, const char *text, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (text[i] == '&')
            fputs("&amp;", stream);
        else if (text[i] == '<')
            fputs("&lt;", stream);
        else if (text[i] == '>')
            fputs("&gt;", stream);
        else
            fputc(text[i] == '\n' ? ' ' : text[i], stream);
    }
}

static void write_element(FILE *stream, const char *name, const char *text, size_t count) {
    while (count > 0 && text[count - 1] == '\n') count--;
    fprintf(stream, "<%s>", name);
    write_escaped(stream, text, count);
    fprintf(stream, "</%s>\n", name);
}

ireneo_error ireneo_svg_describe(FILE *drawn, const figure *chosen, const char *directory, FILE *stream) {
    char path[PATH_MAX], *line = NULL;
    size_t size = 0;
    ireneo_file_view note = {0};
    const char *title = chosen->summary != NULL ? chosen->summary : chosen->name;
    IRENEO_TRY(note_path(directory, chosen->name, path));
    if (access(path, R_OK) == 0) IRENEO_TRY(ireneo_file_view_open(path, &note));
    for (ssize_t length; (length = getline(&line, &size, drawn)) > 0;) {
        if (strncmp(line, "<title>Gnuplot", 14) == 0)
            write_element(stream, "title", title, strlen(title));
        else if (strncmp(line, "<desc>Produced by", 17) == 0)
            write_element(stream, "desc", note.count > 0 ? (const char *)note.bytes : title,
                          note.count > 0 ? note.count : strlen(title));
        else if (strncmp(line, "<svg ", 5) == 0)
            fprintf(stream, "<svg role=\"img\" %s", line + 5);
        else
            fwrite(line, 1, (size_t)length, stream);
    }
    bool broken = ferror(drawn) != 0;
    free(line);
    ireneo_file_view_close(&note);
    return broken ? ireneo_fail(IRENEO_ERROR_IO, "%s: what gnuplot drew cannot be read back", chosen->name)
                  : IRENEO_OK;
}
