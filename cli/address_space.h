/* What the program does about a limit of its address space (ulimit -v, ulimit -d).
 *
 * OpenBLAS cannot be told that memory is out: it tries again for ever. So a limit under which it could not start is
 * refused before it does, and under a larger one its buffers are taken first: what runs out later is our own memory, and
 * that has a sentence. */
#ifndef IRENEO_CLI_ADDRESS_SPACE_H
#define IRENEO_CLI_ADDRESS_SPACE_H

/* The first thing that main does: starts the threads and lets each take the buffer of its BLAS. Nothing without a
 * limit. */
void take_address_space(void);

#endif
