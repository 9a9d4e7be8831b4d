/* Ireneo: the memory of neural networks.
 *
 * The one include. Each header below is the manual of its subject and reads top to bottom, simple calls first:
 *
 *   ireneo/common.h      errors, progress, version: what every call shares
 *   ireneo/arrays.h      arrays on disk: .npy and .safetensors
 *   ireneo/random.h      random numbers as functions of (seed, stream, index)
 *   ireneo/linear.h      linear memory: how many facts fit, storing them, recall, proof of impossibility
 *   ireneo/dense.h       dense memory: phases and basins, retrieval, simulation
 *   ireneo/attention.h   transformers at initialisation: theory, simulated networks, training
 *
 * Conventions
 *   - A function that can fail returns ireneo_error; ireneo_last_error() holds one sentence about the last
 *     failure in the calling thread. How the work ended is a different question, answered by a status.
 *   - Matrices are row-major; every pointer argument has its shape beside it, as in (rows, columns).
 *   - Settings may be NULL: defaults. Freeing NULL is fine. The library never prints and never exits.
 *   - The library keeps no state between calls except the thread's last error sentence.
 */
#ifndef IRENEO_H
#define IRENEO_H

#include "ireneo/arrays.h"
#include "ireneo/attention.h"
#include "ireneo/common.h"
#include "ireneo/dense.h"
#include "ireneo/linear.h"
#include "ireneo/random.h"

#endif
