/* Reading of UTF-8 text. */
#include "text_file.h"

#include "base/file_view.h"
#include "base/utf8.h"

#include <string.h>

/* The sentence about the first line that is not UTF-8. */
static int complain_encoding(const command *self, const char *path, const char *text) {
    size_t line = 1, length;
    while ((length = ireneo_utf8_character(text)) > 0) {
        line += *text == '\n';
        text += length;
    }
    return complain(self, EXIT_DATA,
                    "%s: line %zu is not UTF-8 text; if it is Latin-1: iconv -f latin1 -t utf-8 %s > NEW",
                    path, line, path);
}

int read_text_file(const command *self, const char *path, char **text, size_t *length) {
    ireneo_file_view view;
    *text = NULL;
    ireneo_error failed = ireneo_file_view_open(path, &view);
    if (failed != IRENEO_OK) return report_error(self, failed);
    char *bytes = (char *)view.block;
    if (memchr(bytes, '\0', view.count) != NULL) {
        ireneo_file_view_close(&view);
        return complain(self, EXIT_DATA, "%s is not a text file: it holds zero bytes", path);
    }
    if (!ireneo_is_utf8(bytes)) {
        int code = complain_encoding(self, path, bytes);
        ireneo_file_view_close(&view);
        return code;
    }
    size_t mark = view.count >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    *length = view.count - mark;
    memmove(bytes, bytes + mark, *length + 1);
    *text = bytes; /* the view's block, which the caller releases */
    return 0;
}
