/* Ireneo: the memory of neural networks.
 *
 * The one include. Each header below is the manual of its subject and reads top to bottom, simple calls first,
 * advanced ones after:
 *
 *   ireneo/common.h      errors, progress, version: what every call shares
 *   ireneo/arrays.h      arrays on disk: .npy, .npz, .safetensors, and text
 *   ireneo/random.h      random numbers as functions of (seed, stream, index)
 *   ireneo/linear.h      linear memory: how many facts fit, storing them, recall, proof of impossibility
 *   ireneo/layer.h       layers of real models: moments of their keys, spectra, room for facts
 *   ireneo/edit.h        editing a layer: the nearest matrix that recalls new facts and keeps others
 *   ireneo/dense.h       dense memory: phases and basins, retrieval, simulation
 *   ireneo/attention.h   transformers at initialisation: theory, simulated networks, training
 *
 * In ten lines
 *
 *     ireneo_facts facts = {.facts = n, .candidates = n, .dim_in = d, .dim_out = d,
 *                           .keys = keys, .values = values};               // (n, d) floats each
 *     ireneo_memory *memory;
 *     ireneo_store_info info;
 *     if (ireneo_store(&facts, NULL, &memory, NULL, &info) != IRENEO_OK) puts(ireneo_last_error());
 *     puts(ireneo_status_name(info.status));                               // "stored", "impossible", ...
 *     ireneo_recall(memory, keys, 1, values, n, 5, NULL, indices, scores); // the best five values of key 0
 *     ireneo_memory_free(memory);
 *
 * Arguments
 *   - Matrices are row-major; every pointer argument has its shape beside it, as in (rows, columns).
 *   - What describes a question or holds settings is a struct that is zero-initialised and filled where it
 *     matters: zero is the default, always. Where zero is a value of its own, the field says how it is asked
 *     for. Settings may be NULL: all defaults. A transformer is filled by ireneo_transformer_defaults or by a
 *     preset instead.
 *   - Threads and progress are settings. Threads are 1 to 4096, or 0 for all cores; more are started only as
 *     far as they are of use. Results do not depend on their number, not by a bit.
 *   - Arrays of the caller are read and never kept, except where a struct is called a view.
 *   - `reserved` is room for fields of later versions. It must be zero, and is refused otherwise, so that a
 *     program compiled today means the same to a later library.
 *
 * Results
 *   - A function that can fail returns ireneo_error; ireneo_last_error() holds one sentence about the last
 *     failure in the calling thread: what, where, and what to do. How the work ended is another question,
 *     answered by a status: that facts do not fit is an answer, no error.
 *   - What a call fills is emptied first: pointers are NULL and reports zero when it fails. Arrays of the
 *     caller then hold anything. A NULL where a pointer is needed is IRENEO_ERROR_ARGUMENT with a sentence.
 *   - Results that may be NULL say so; they are not wanted then.
 *   - What the library allocated is released by the function named beside it, or by ireneo_free. Releasing
 *     NULL is fine.
 *   - Every enum has a name function. Names are stable; numbers of enumerators are, too.
 *
 * Errors
 *   IRENEO_ERROR_ARGUMENT    the call is wrong: a range, a NULL, a contradiction among arguments
 *   IRENEO_ERROR_DATA        the numbers or files are: NaN, shapes, a damaged file; row and column are named
 *   IRENEO_ERROR_MEMORY      not enough RAM; asked before the work begins where it can be known
 *   IRENEO_ERROR_IO          a file could not be opened, read or written; an old file is left as it was
 *   IRENEO_ERROR_NUMERIC     a method did not reach its accuracy; nothing half-right is returned
 *   IRENEO_ERROR_CANCELLED   the progress callback asked to stop, and there was nothing to return
 *
 * Calls at the same time
 *   - Any calls may run at the same time in different threads, as long as none writes what another one reads:
 *     a memory may be asked by many threads at once. Their results are those of calls that run alone.
 *   - The library keeps no state between calls except the thread's last error sentence. While calls run, it
 *     holds OpenBLAS, whose thread count belongs to the whole process, at one thread; the last call that
 *     returns puts the caller's count back. Calls of BLAS by the program meanwhile run in one thread.
 *   - Callbacks: progress is reported from the thread that made the call; own candidates of facts are asked
 *     for from many threads at once. A callback may call the library.
 *   - fork: a child may use the library, whatever the parent did before.
 *   - Processes: the library knows of no other. Under mpirun each call works for its process alone; work over the ranks of
 *     an MPI job is the program's (`make mpi`, docs/scale.md).
 *   - Threads: loops are shared among threads of the library's own, which sleep while they have nothing to do and
 *     block all signals. They are started by the first call that wants them, and stay.
 *   - The library never prints, never exits and installs no signal handler.
 *
 * Versions
 *   IRENEO_VERSION is the version of the headers, ireneo_version() that of the library; IRENEO_VERSION_NUMBER
 *   is for #if. From 1.0.0 on, a program that was compiled with one minor version runs with every later one of
 *   the same major version.
 */
#ifndef IRENEO_H
#define IRENEO_H

#include "ireneo/arrays.h"
#include "ireneo/attention.h"
#include "ireneo/common.h"
#include "ireneo/dense.h"
#include "ireneo/edit.h"
#include "ireneo/layer.h"
#include "ireneo/linear.h"
#include "ireneo/random.h"

#endif
