/* Output folders, and whether a file may be written: before the work, not after it. */
#ifndef IRENEO_CLI_FOLDER_H
#define IRENEO_CLI_FOLDER_H

#include "options.h"

/* Makes a folder and the folders above it. Returns 0 or an exit code after one sentence. */
int make_folder(const command *self, const char *path);
bool is_folder(const char *path);

/* The file of a location "file" or "file:name", the longest prefix that is one, into path (PATH_MAX). */
bool find_file(const char *location, char *path);

/* What a command writes. */
typedef enum output_kind {
    OUTPUT_MEMORY,      /* .safetensors, written by ireneo_memory_save */
    OUTPUT_CERTIFICATE, /* .safetensors, written by ireneo_certificate_save */
    OUTPUT_MOMENTS,     /* .safetensors, written by ireneo_moments_save */
    OUTPUT_MODEL,       /* .safetensors of any program; one that is there is never replaced */
    OUTPUT_ANSWERS,     /* .safetensors of recall */
    OUTPUT_ARRAY,       /* .npy */
    OUTPUT_PICTURE,     /* .svg, .png or .pdf, told apart by the ending alone */
    OUTPUT_TABLE,       /* .csv with a heading */
    OUTPUT_LIST,        /* text: an index a line, perhaps with a name */
    OUTPUT_LABELS       /* text: a label a line; any text may be one */
} output_kind;

typedef struct output_file {
    const char *option; /* how the user names it: "-o" */
    const char *path;   /* NULL: not asked for */
    output_kind kind;
    const char *heading; /* of a table: how its first line begins */
} output_file;

/* Refuses, in one sentence, an output that could not be written (no folder, no permission, a folder in its place), that
 * is an input (by whatever name or link) or another output, whose ending belongs to another kind of file, or that would
 * replace a file of another kind. Inputs may be "file:name" and NULL. Returns 0 or an exit code. */
int check_outputs(const command *self, const output_file *outputs, size_t output_count,
                  const char *const *inputs, size_t input_count);

#endif
