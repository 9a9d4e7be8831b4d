/* Reads a file into RAM. */
#include "base/file_view.h"

#include "base/input_file.h"
#include "base/ram.h"

ireneo_error ireneo_file_view_open(const char *path, ireneo_file_view *view) {
    *view = (ireneo_file_view){0};
    ireneo_input_file file;
    IRENEO_TRY(ireneo_input_file_open(path, &file));
    ireneo_error error = ireneo_ram_require((double)file.bytes, path);
    if (error == IRENEO_OK) error = ireneo_input_file_head(&file, file.bytes, &view->block, &view->count);
    ireneo_input_file_close(&file);
    view->bytes = view->block;
    if (error != IRENEO_OK) ireneo_file_view_close(view);
    return error;
}

void ireneo_file_view_close(ireneo_file_view *view) {
    free(view->block);
    *view = (ireneo_file_view){0};
}
