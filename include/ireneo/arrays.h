/* Arrays on disk: .npy, .npz, .safetensors, and text. */
#ifndef IRENEO_ARRAYS_H
#define IRENEO_ARRAYS_H

#include "ireneo/common.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A location is a file, or "file:name" where files hold several arrays:
 *
 *   x.npy                               one array of NumPy, in any byte order, in row or Fortran order
 *   x.npz:name                          an array of numpy.savez; without a name when there is only one
 *   x.safetensors:name                  a tensor; without a name when there is only one
 *   x.safetensors.index.json:name       a tensor of a model in several files that lie beside the index
 *   x.csv, x.tsv, x.txt                 numbers in lines, for small matrices
 *
 * Files with other endings are told apart by their first bytes. Files are read, never mapped: one that another
 * program shortens meanwhile is an error. Writes are atomic: a reader sees the old file or the new one, never
 * half; only devices and pipes such as /dev/stdout are written directly. */

/** Element types that files may hold. */
typedef enum ireneo_dtype {
    IRENEO_DTYPE_FLOAT16,
    IRENEO_DTYPE_FLOAT32,
    IRENEO_DTYPE_FLOAT64,
    IRENEO_DTYPE_INT32,
    IRENEO_DTYPE_INT64,
    IRENEO_DTYPE_BFLOAT16,
    IRENEO_DTYPE_INT8,
    IRENEO_DTYPE_UINT8,
    IRENEO_DTYPE_INT16,
    IRENEO_DTYPE_UINT16,
    IRENEO_DTYPE_UINT32,
    IRENEO_DTYPE_UINT64,
    IRENEO_DTYPE_BOOL
} ireneo_dtype;

/** A short name such as "float32". Never NULL. */
IRENEO_API const char *ireneo_dtype_name(ireneo_dtype dtype);

/** Bytes of one element. */
IRENEO_API size_t ireneo_dtype_size(ireneo_dtype dtype);

enum { IRENEO_MAX_AXES = 8 };

/** An array out of a file: row-major elements of one type, in the byte order of this machine. */
typedef struct ireneo_array {
    ireneo_dtype dtype;
    /** Number of axes, 0 to IRENEO_MAX_AXES. */
    int axes;
    size_t shape[IRENEO_MAX_AXES];
    /** Product of the shape. */
    size_t count;
    /** The elements, a copy of the caller's own; valid until ireneo_array_close. */
    const void *data;
    /** What close releases; not for users. */
    void *block;
} ireneo_array;

/** Reads the array at a location into memory. On failure the array is empty and may be closed all the same. */
IRENEO_API ireneo_error ireneo_array_open(const char *location, ireneo_array *array);

/** Reads what is said about the array at a location, without its elements: type, axes, shape and count; data stays NULL.
 * Text has to be read whole for that. */
IRENEO_API ireneo_error ireneo_array_describe(const char *location, ireneo_array *array);

/** Releases what open took. */
IRENEO_API void ireneo_array_close(ireneo_array *array);

/** What a loader did to the numbers of a file to make float32 of them. */
typedef struct ireneo_load_notes {
    /** The type in the file; text is float64, or int64 when all of it is whole. */
    ireneo_dtype dtype;
    /** Elements that float32 does not hold exactly, and the largest |change| / |element| among them. */
    size_t rounded;
    double largest_rounding;
    uint64_t reserved[4];
} ireneo_load_notes;

/** Reads a location as a float32 matrix (rows, columns); a vector counts as one column. Every element is
 * checked: NaN, infinity and numbers beyond float32 are errors that name row and column, counted from 0. So is
 * what rounding would lose: whole numbers that float32 cannot hold, numbers that would become zero or
 * subnormal, and two rows that differ in the file but not in float32. An array without elements is an error.
 * Release *values with ireneo_free. */
IRENEO_API ireneo_error ireneo_load_matrix(const char *location, float **values, size_t *rows,
                                           size_t *columns);

/** The same, with notes about rounding (may be NULL). */
IRENEO_API ireneo_error ireneo_load_matrix_noted(const char *location, float **values, size_t *rows,
                                                 size_t *columns, ireneo_load_notes *notes);

/** The same for queries: a vector counts as one row, and rows may become equal. Notes may be NULL. */
IRENEO_API ireneo_error ireneo_load_queries(const char *location, float **values, size_t *rows,
                                            size_t *columns, ireneo_load_notes *notes);

/** The same for an array of three axes (matrices, rows, columns), such as own candidates of every fact. Fewer
 * axes are one matrix, of which *matrices is 0. */
IRENEO_API ireneo_error ireneo_load_stack(const char *location, float **values, size_t *matrices,
                                          size_t *rows, size_t *columns);

/** The same, with notes about rounding (may be NULL). */
IRENEO_API ireneo_error ireneo_load_stack_noted(const char *location, float **values, size_t *matrices,
                                                size_t *rows, size_t *columns, ireneo_load_notes *notes);

/** Reads a location as a vector of whole numbers (count), from any integer type, of shape (count) or
 * (count, 1), not empty. Release *values with ireneo_free. */
IRENEO_API ireneo_error ireneo_load_indices(const char *location, int64_t **values, size_t *count);

/** Reads a location as a vector of finite float64 numbers (count), from a shape (count) or (count, 1), not
 * empty. Release *values with ireneo_free. */
IRENEO_API ireneo_error ireneo_load_vector(const char *location, double **values, size_t *count);

/** Writes a .npy file (version 1.0), which has no name for bfloat16. */
IRENEO_API ireneo_error ireneo_save_npy(const char *path, ireneo_dtype dtype, int axes, const size_t *shape,
                                        const void *data);

/** One tensor of a .safetensors file to be written. */
typedef struct ireneo_tensor {
    const char *name;
    ireneo_dtype dtype;
    int axes;
    size_t shape[IRENEO_MAX_AXES];
    const void *data;
} ireneo_tensor;

/** Writes a .safetensors file; metadata is a list of `pairs` key-value pairs: key, value, key, value, ... */
IRENEO_API ireneo_error ireneo_save_safetensors(const char *path, const ireneo_tensor *tensors, size_t count,
                                                const char *const *metadata, size_t pairs);

/** Reads one metadata value of a .safetensors file; *value is NULL when the key is not there. Release with
 * ireneo_free. */
IRENEO_API ireneo_error ireneo_safetensors_metadata(const char *path, const char *key, char **value);

/** Whether a .safetensors file holds a tensor of this name (1 or 0 in *found). */
IRENEO_API ireneo_error ireneo_safetensors_has(const char *path, const char *name, int *found);

/** Names of the tensors in a .safetensors file, in the order of their data, or in an index of several. Release *names, an
 * array of `count` texts in one block, with ireneo_free. */
IRENEO_API ireneo_error ireneo_tensor_names(const char *path, char ***names, size_t *count);

/** Writes a whole file atomically: temporary file beside it, fsync, rename. */
IRENEO_API ireneo_error ireneo_save_bytes(const char *path, const void *bytes, size_t count);

/** Releases anything the library allocated for the caller. */
IRENEO_API void ireneo_free(void *block);

#ifdef __cplusplus
}
#endif

#endif
