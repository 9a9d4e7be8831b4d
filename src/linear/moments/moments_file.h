/* Files of moments, told from others. */
#ifndef IRENEO_LINEAR_MOMENTS_MOMENTS_FILE_H
#define IRENEO_LINEAR_MOMENTS_MOMENTS_FILE_H

#include "base/error.h"

#include <stdbool.h>

/* Whether a .safetensors file says that it holds moments. */
ireneo_error ireneo_is_moments_file(const char *path, bool *is);

#endif
