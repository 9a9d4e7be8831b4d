/* What the program does about a limit of its address space (ulimit -v, ulimit -d).
 *
 * OpenBLAS and GNU's OpenMP cannot be told that memory is out: the one tries again for ever, the other ends the process
 * with exit code 1, which means "no" here. So a limit under which they could not start is refused before they do, and
 * under a larger one they take what they need first: what runs out later is our own memory, and that has a sentence. */
#ifndef IRENEO_CLI_ADDRESS_SPACE_H
#define IRENEO_CLI_ADDRESS_SPACE_H

/* The first thing that main does: starts the threads and lets each take the buffer of its BLAS. Nothing without a
 * limit. */
void take_address_space(void);

#endif
