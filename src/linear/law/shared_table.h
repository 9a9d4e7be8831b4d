/* How the recall cones of shared candidates lean, measured: rows are dimensions, columns candidates per dimension. */
#ifndef IRENEO_LINEAR_LAW_SHARED_TABLE_H
#define IRENEO_LINEAR_LAW_SHARED_TABLE_H

enum { IRENEO_SHARED_DIMS = 10, IRENEO_SHARED_RATIOS = 11 };

extern const double ireneo_shared_dim[IRENEO_SHARED_DIMS], ireneo_shared_ratio[IRENEO_SHARED_RATIOS];
extern const double ireneo_shared_self[IRENEO_SHARED_DIMS][IRENEO_SHARED_RATIOS];
extern const double ireneo_shared_tilt[IRENEO_SHARED_DIMS][IRENEO_SHARED_RATIOS];

#endif
