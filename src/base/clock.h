/* The clock behind every time this library reports. */
#ifndef IRENEO_BASE_CLOCK_H
#define IRENEO_BASE_CLOCK_H

/* Seconds of a clock that never goes back. */
double ireneo_seconds(void);

#endif
