/* Hot loops are compiled for several instruction sets and the right one is chosen when the program is loaded.
 *
 * Contraction to fused multiply-add is off (-ffp-contract=off) but for the few files that CMakeLists.txt
 * names, whose sums go on to be checked in double precision. Everywhere else every clone gives the same bits
 * as long as it does not reorder a sum; loops that sum say so where they do. */
#ifndef IRENEO_BASE_VECTORISED_H
#define IRENEO_BASE_VECTORISED_H

#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__) &&                 \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define IRENEO_VECTORISED __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define IRENEO_VECTORISED
#endif

#endif
