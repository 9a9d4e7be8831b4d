/* One line a format. Conversions are single lines of Python; pickles are opened without running code where
 * PyTorch offers that. */
#include "base/foreign.h"

#include <string.h>

/* Each takes the path. */
#define TORCH   "safetensors.torch.save_file(torch.load('%s', weights_only=True), 'new.safetensors')"
#define PICKLE  "numpy.save('new.npy', numpy.load('%s', allow_pickle=True))"
#define HDF5    "numpy.save('new.npy', h5py.File('%s')['NAME'][:])"
#define MATLAB  "numpy.save('new.npy', scipy.io.loadmat('%s')['NAME'])"
#define PARQUET "numpy.save('new.npy', pandas.read_parquet('%s').to_numpy('float32'))"
#define FEATHER "numpy.save('new.npy', pandas.read_feather('%s').to_numpy('float32'))"
#define EXCEL   "numpy.save('new.npy', pandas.read_excel('%s', header=None).to_numpy('float32'))"
#define GGUF                                                                                                 \
    "numpy.save('new.npy', next(t.data for t in gguf.GGUFReader('%s').tensors if t.name == 'NAME')), for "   \
    "tensors that are not quantised"

static const struct format {
    const char *magic; /* NULL: any */
    size_t bytes;
    const char *endings; /* with dots, each followed by a blank */
    const char *name, *conversion;
} formats[] = {
    {NULL, 0, ".pt .pth .ckpt .bin ", "a PyTorch file", TORCH},
    {NULL, 0, ".pkl .pickle ", "a pickle of Python", PICKLE},
    {"\x89HDF\r\n\x1a\n", 8, ".h5 .hdf5 .keras ", "an HDF5 file", HDF5},
    {"MATLAB", 6, ".mat ", "a MATLAB file", MATLAB},
    {"PAR1", 4, ".parquet ", "a Parquet file", PARQUET},
    {"ARROW1", 6, ".feather .arrow ", "an Arrow file", FEATHER},
    {NULL, 0, ".xlsx .xls .ods ", "a spreadsheet", EXCEL},
    {"GGUF", 4, ".gguf ", "a GGUF model", GGUF},
    {"\x80\x02", 2, "", "a pickle of Python", PICKLE},
    {"\x80\x03", 2, "", "a pickle of Python", PICKLE},
    {"\x80\x04", 2, "", "a pickle of Python", PICKLE},
    {"\x80\x05", 2, "", "a pickle of Python", PICKLE},
};

bool ireneo_ends_with(const char *text, const char *ending) {
    size_t length = strlen(text), tail = strlen(ending);
    return length >= tail && strcmp(text + length - tail, ending) == 0;
}

/* Whether one of the endings, each followed by a blank, is that of the path. */
static bool has_ending(const char *path, const char *endings) {
    size_t length = strlen(path);
    for (const char *blank; (blank = strchr(endings, ' ')) != NULL; endings = blank + 1) {
        size_t tail = (size_t)(blank - endings);
        if (length > tail && strncmp(path + length - tail, endings, tail) == 0) return true;
    }
    return false;
}

/* MATLAB's newer files are HDF5 inside, so bytes come first; a .bin of another program than PyTorch, too. */
static const struct format *find_format(const char *path, const unsigned char *bytes, size_t count) {
    size_t formats_count = sizeof formats / sizeof formats[0];
    for (size_t i = 0; i < formats_count; i++)
        if (formats[i].endings[0] != '\0' && formats[i].magic != NULL && count >= formats[i].bytes &&
            memcmp(bytes, formats[i].magic, formats[i].bytes) == 0)
            return &formats[i];
    for (size_t i = 0; i < formats_count; i++)
        if (has_ending(path, formats[i].endings)) return &formats[i];
    for (size_t i = 0; i < formats_count; i++)
        if (formats[i].magic != NULL && count >= formats[i].bytes &&
            memcmp(bytes, formats[i].magic, formats[i].bytes) == 0)
            return &formats[i];
    return NULL;
}

bool ireneo_is_lfs_pointer(const unsigned char *bytes, size_t count) {
    static const char first[] = "version https://git-lfs";
    return count >= sizeof first - 1 && memcmp(bytes, first, sizeof first - 1) == 0;
}

bool ireneo_foreign_recognise(const char *path, const unsigned char *bytes, size_t count) {
    return find_format(path, bytes, count) != NULL;
}

/* `conversion` with the path in the place of its %s. */
static ireneo_error fail_with(const char *path, const struct format *format) {
    const char *gap = strstr(format->conversion, "%s");
    return ireneo_fail(IRENEO_ERROR_DATA, "%s is %s, which cannot be read; in Python: %.*s%s%s", path,
                       format->name, (int)(gap - format->conversion), format->conversion, path, gap + 2);
}

ireneo_error ireneo_foreign_fail(const char *path, const unsigned char *bytes, size_t count) {
    const struct format *format = find_format(path, bytes, count);
    if (ireneo_is_lfs_pointer(bytes, count))
        return ireneo_fail(IRENEO_ERROR_DATA,
                           "%s is a pointer of Git LFS and not the file itself; run: git lfs pull", path);
    if (format != NULL) return fail_with(path, format);
    return ireneo_fail(
        IRENEO_ERROR_DATA,
        "%s is neither .npy, .npz nor .safetensors; text of numbers ends in .csv, .tsv or .txt", path);
}
