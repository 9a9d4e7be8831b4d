/* A random projector P of rank kappa N that is tilted towards the large eigenvalues of A = G^T G / d_max (N = d_min, law
 * rho: Marchenko-Pastur), exp(N theta Tr A P / 2).
 *
 * The integral over projectors is one over m Lagrange multipliers, a gas of charges that repel each other and are
 * attracted by the eigenvalues: at its saddle they lie on an arc that crosses the real axis to the right of A, from
 * u - iv to u + iv. Its resolvent h has h_+ + h_- = g_A - theta on the arc, hence h = (g_A - theta)/2 - R M/2 with R^2 =
 * (x - u)^2 + v^2 and M(x) = Int rho(a) / (R(a) (x - a)) da, and h ~ kappa / x asks that
 *
 *     theta = Int rho / |R|,   2 kappa - 1 = Int rho (a - u) / |R|.
 *
 * The next term gives the energy e = <Tr A P> / N = (1 + J)/2 - kappa (1 - kappa)/theta, J = Int rho |R| + (2 kappa - 1) u
 * - theta v^2 / 2; v -> 0 is the projector on the largest eigenvalues, whose energy is E(kappa). */
#include "linear/law/rank_saddle.h"
#include "base/quadrature.h"
#include "base/roots.h"

#include <math.h>

enum { PANEL_NODES = 20, LAST_PANELS = 4 };
static const double PANEL = 4.0; /* the longest, where integrands like tanh are exact to 1e-12 */

/* Gauss's rule on [-1, 1], made once for all panels of a rule. */
typedef struct panel_rule {
    double nodes[PANEL_NODES], weights[PANEL_NODES];
} panel_rule;

typedef struct rule_side {
    double aspect, psi_0, offset, scale, side; /* side +1 or -1 */
    const panel_rule *gauss;
} rule_side;

/* Nodes psi = psi_0 +- scale sinh t of t in [from, to], with a = 1 + c - 2 sqrt(c) cos psi, which makes the law smooth: rho
 * da = 2 sin^2(psi) / (pi a) dpsi. */
static void add_panel(const rule_side *p, double from, double to, rank_rule *rule) {
    double root = sqrt(p->aspect), middle = 0.5 * (to + from), width = 0.5 * (to - from);
    for (size_t k = 0; k < PANEL_NODES && rule->count < RANK_RULE_MOST; k++) {
        double t = middle + width * p->gauss->nodes[k], weight = width * p->gauss->weights[k];
        double away = p->side * p->scale * sinh(t), psi = p->psi_0 + away, sine = sin(psi);
        double half = sin(0.5 * psi), a = (1.0 - root) * (1.0 - root) + 4.0 * root * half * half;
        rule->from_u[rule->count] = p->offset + 4.0 * root * sin(p->psi_0 + 0.5 * away) * sin(0.5 * away);
        rule->weight[rule->count] =
            a > 0.0 ? weight * p->scale * cosh(t) * 2.0 * sine * sine / (M_PI * a) : 0.0;
        rule->count++;
    }
}

/* From u to the edge of the law; the last panels, where psi moves by its own size, are short. */
static void add_side(const rule_side *p, rank_rule *rule) {
    double end = asinh((p->side > 0.0 ? M_PI - p->psi_0 : p->psi_0) / p->scale);
    double inner = fmax(0.0, end - PANEL), outer = (end - inner) / LAST_PANELS;
    size_t panels = (size_t)ceil(inner / PANEL);
    for (size_t k = 0; k < panels; k++)
        add_panel(p, inner * (double)k / (double)panels, inner * (double)(k + 1) / (double)panels, rule);
    for (size_t k = 0; k < LAST_PANELS; k++)
        add_panel(p, inner + (double)k * outer, inner + (double)(k + 1) * outer, rule);
}

void ireneo_rank_rule_fill(double aspect, double u, double v, rank_rule *rule) {
    double root = sqrt(aspect), cosine = (1.0 + aspect - u) / (2.0 * root);
    double psi_0 = acos(fmin(1.0, fmax(-1.0, cosine)));
    double offset = fabs(cosine) > 1.0 ? 1.0 + aspect - 2.0 * root * copysign(1.0, cosine) - u : 0.0;
    double reach = hypot(offset, v), slope = root * sin(psi_0);
    double scale = reach / (slope + sqrt(slope * slope + root * reach));
    panel_rule gauss;
    ireneo_gauss_legendre(PANEL_NODES, -1.0, 1.0, gauss.nodes, gauss.weights);
    rule->count = 0;
    add_side(&(rule_side){aspect, psi_0, offset, scale, -1.0, &gauss}, rule);
    add_side(&(rule_side){aspect, psi_0, offset, scale, 1.0, &gauss}, rule);
}

typedef struct centre_problem {
    rank_shape shape;
    double v;
    rank_rule rule;
} centre_problem;

/* Int rho (a - u)/|R| - (2 kappa - 1): falls in u. */
static double imbalance(double u, void *context) {
    centre_problem *p = context;
    double sum = 0.0;
    ireneo_rank_rule_fill(p->shape.aspect, u, p->v, &p->rule);
    for (size_t k = 0; k < p->rule.count; k++)
        sum += p->rule.weight[k] * p->rule.from_u[k] / hypot(p->rule.from_u[k], p->v);
    return sum - (2.0 * p->shape.kappa - 1.0);
}

ireneo_error ireneo_rank_saddle_at(rank_shape shape, double v, rank_saddle *saddle) {
    centre_problem p = {.shape = shape, .v = v};
    double kappa = shape.kappa, widest = 5.0 + 2.0 * v / sqrt(kappa * (1.0 - kappa)), length = 0.0, u;
    IRENEO_TRY(ireneo_find_root(imbalance, &p, -widest, widest, 1e-15 * widest, &u));
    *saddle = (rank_saddle){.u = u, .v = v};
    ireneo_rank_rule_fill(shape.aspect, u, v, &p.rule);
    for (size_t k = 0; k < p.rule.count; k++) {
        double distance = hypot(p.rule.from_u[k], v);
        saddle->theta += p.rule.weight[k] / distance;
        length += p.rule.weight[k] * distance;
    }
    double j = length + (2.0 * kappa - 1.0) * u - 0.5 * saddle->theta * v * v;
    saddle->energy = 0.5 * (1.0 + j) - kappa * (1.0 - kappa) / saddle->theta;
    return IRENEO_OK;
}
