/* Marchenko-Pastur and quarter-circle laws in closed form.
 *
 * With l = 1 + c + 2 sqrt(c) cos(theta), theta in [0, pi] from the upper edge down, the Marchenko-Pastur
 * density of G G^T / d_max becomes smooth: mass(theta) = 2/pi Int sin^2 / (1 + c + 2 sqrt(c) cos),
 * energy(theta) = 2/pi Int sin^2. */
#include "linear/law/rank_spectrum.h"
#include "base/roots.h"

#include <math.h>

/* Mass of the law between its upper edge and the angle theta. */
static double mass_above(double theta, double aspect) {
    double root = sqrt(aspect);
    double bend = (1.0 - root) / (1.0 + root) * tan(0.5 * theta);
    double lag = theta >= M_PI ? 0.5 * M_PI : atan(bend);
    if (aspect == 1.0) lag = 0.0;
    return 2.0 / M_PI *
           ((1.0 + aspect) / (4.0 * aspect) * theta - sin(theta) / (2.0 * root) -
            (1.0 - aspect) / (2.0 * aspect) * lag);
}

typedef struct mass_problem {
    double aspect, mass;
} mass_problem;

static double mass_excess(double theta, void *context) {
    const mass_problem *problem = context;
    return mass_above(theta, problem->aspect) - problem->mass;
}

double ireneo_rank_spectrum_energy(double kappa, double aspect) {
    if (kappa >= 1.0) return 1.0;
    mass_problem problem = {aspect, kappa};
    double theta = M_PI;
    if (aspect < 1e-6) { /* all singular values are equal; the closed form would cancel */
        return kappa;
    }
    if (ireneo_find_root(mass_excess, &problem, 0.0, M_PI, 1e-15, &theta) != IRENEO_OK) theta = M_PI;
    return (theta - 0.5 * sin(2.0 * theta)) / M_PI;
}

double ireneo_rank_spectrum_edge(double kappa) {
    if (kappa >= 1.0) return 0.0;
    mass_problem problem = {1.0, kappa};
    double theta = M_PI;
    if (ireneo_find_root(mass_excess, &problem, 0.0, M_PI, 1e-15, &theta) != IRENEO_OK) return 0.0;
    return 2.0 * cos(0.5 * theta); /* s^2 = l = 2 + 2 cos(theta) */
}

double ireneo_rank_spectrum_density(double s, double kappa) {
    if (s < ireneo_rank_spectrum_edge(kappa) || s > 2.0) return 0.0;
    return sqrt(fmax(0.0, 4.0 - s * s)) / (M_PI * kappa);
}

double ireneo_rank_spectrum_cdf(double s, double kappa) {
    double edge = ireneo_rank_spectrum_edge(kappa);
    if (s <= edge) return 0.0;
    if (s >= 2.0) return 1.0;
    double above = mass_above(2.0 * acos(0.5 * s), 1.0);
    return 1.0 - above / kappa;
}
