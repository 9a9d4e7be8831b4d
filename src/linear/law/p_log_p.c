/* Newton's method on p log p = x; the function is convex, so steps come down to the root from above. */
#include "linear/law/p_log_p.h"

#include <math.h>

double ireneo_solve_p_log_p(double x) {
    double p = fmax(1.5, x / fmax(1.0, log(fmax(x, 3.0))));
    for (int step = 0; step < 100; step++) {
        double move = (p * log(p) - x) / (log(p) + 1.0);
        p = fmax(1.0, p - move);
        if (fabs(move) < 1e-13 * p) break;
    }
    return p;
}
