/* Writes src/linear/law/shared_table.c: how the recall cones of shared candidates lean (docs/linear.md, "Shared
 * candidates"). For values of d dimensions and P = 1 + ratio d candidates, drawn, centred and whitened, Gaussian vectors g
 * are projected on the cones Gamma_t = { h : y_t h >= y_j h for all j }. With Q an orthonormal basis of the span of the
 * active y_t - y_j, r = g - projection, B = Q Q^T and M = r r^T without their traces, it averages
 *     s = <B, M' - B'>  over pairs of projections on one cone, and
 *     u = (P - 1) <B, B' - M'> - s,  the first mean over pairs on different cones.
 * Run by scripts/shared_table; always the same numbers. */
#include <ireneo.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIMS = 10, RATIOS = 11, EACH = 2, MOST_ACTIVE = 256, FRONT = 400 };
static const size_t dims[DIMS] = {2, 3, 5, 8, 12, 20, 32, 50, 80, 128};
static const double ratios[RATIOS] = {1, 1.3, 1.8, 2.5, 4, 6.5, 10, 16, 25, 40, 64};

/* ---- random numbers ---- */

typedef struct source {
    uint64_t stream, used;
} source;

static void draw(source *from, size_t count, double *to) {
    ireneo_random_normals(1, from->stream, from->used, count, 1, to);
    from->used += count;
}

/* ---- values ---- */

/* The lower Cholesky factor of a (n, n), in place; false when it has none. */
static int factorise(double *a, size_t n) {
    for (size_t j = 0; j < n; j++) {
        for (size_t k = 0; k < j; k++)
            for (size_t i = j; i < n; i++) a[i * n + j] -= a[i * n + k] * a[j * n + k];
        if (!(a[j * n + j] > 0.0)) return 0;
        double root = sqrt(a[j * n + j]);
        for (size_t i = j; i < n; i++) a[i * n + j] /= root;
    }
    return 1;
}

static void whiten(size_t count, size_t d, double *y, double *room) {
    double *covariance = room, *mean = room + d * d;
    memset(room, 0, (d * d + d) * sizeof *room);
    for (size_t j = 0; j < count; j++)
        for (size_t k = 0; k < d; k++) mean[k] += y[j * d + k] / (double)count;
    for (size_t j = 0; j < count; j++)
        for (size_t k = 0; k < d; k++) y[j * d + k] -= mean[k];
    for (size_t j = 0; j < count; j++)
        for (size_t a = 0; a < d; a++)
            for (size_t b = 0; b <= a; b++)
                covariance[a * d + b] += y[j * d + a] * y[j * d + b] / (double)count;
    if (!factorise(covariance, d)) exit(1);
    for (size_t j = 0; j < count; j++) {
        double *row = y + j * d;
        for (size_t a = 0; a < d; a++) {
            for (size_t b = 0; b < a; b++) row[a] -= covariance[a * d + b] * row[b];
            row[a] /= covariance[a * d + a];
        }
    }
}

static double dot(const double *a, const double *b, size_t d) {
    double sum = 0.0;
    for (size_t k = 0; k < d; k++) sum += a[k] * b[k];
    return sum;
}

/* ---- the projection ---- */

/* g projected on the cone of target t: residual = g - projection, and its basis (active, d). */
typedef struct projection {
    size_t active;
    double *residual, *basis;
} projection;

typedef struct cones {
    const double *y; /* (count, d) */
    size_t count, d;
    double *normals, *gram, *moved; /* (MOST_ACTIVE, d), (MOST_ACTIVE, MOST_ACTIVE), (d) */
    double *scores, *sorted;        /* (count) at g */
    size_t *front;                  /* (count) the candidates that are looked at first */
} cones;

/* Weights of the normals that minimise |g + sum of weights times normals|. */
static void unconstrained(const cones *c, const double *g, size_t n, double *weights) {
    double *gram = c->gram, trace = 0.0;
    for (size_t i = 0; i < n; i++) {
        weights[i] = -dot(c->normals + i * c->d, g, c->d);
        for (size_t j = 0; j <= i; j++)
            gram[i * n + j] = dot(c->normals + i * c->d, c->normals + j * c->d, c->d);
        trace += gram[i * n + i];
    }
    for (size_t i = 0; i < n; i++) gram[i * n + i] += 1e-13 * trace;
    if (!factorise(gram, n)) exit(1);
    for (size_t i = 0; i < n; i++)
        weights[i] = (weights[i] - dot(gram + i * n, weights, i)) / gram[i * n + i];
    for (size_t i = n; i-- > 0;) {
        for (size_t j = i + 1; j < n; j++) weights[i] -= gram[j * n + i] * weights[j];
        weights[i] /= gram[i * n + i];
    }
}

/* Lawson and Hanson's inner loop: drops normals until all weights are positive. */
static size_t drop_negative(const cones *c, const double *g, size_t n, size_t *active, double *weights) {
    static const double LEAST = 1e-12;
    double free_weights[MOST_ACTIVE];
    for (;;) {
        if (n == 0) return 0;
        unconstrained(c, g, n, free_weights);
        double step = 1.0;
        int negative = 0;
        for (size_t i = 0; i < n; i++) {
            if (free_weights[i] > LEAST) continue;
            negative = 1;
            step = fmin(step, weights[i] / (weights[i] - free_weights[i]));
        }
        if (!negative) {
            memcpy(weights, free_weights, n * sizeof *weights);
            return n;
        }
        size_t kept = 0;
        for (size_t i = 0; i < n; i++) {
            double moved = weights[i] + step * (free_weights[i] - weights[i]);
            if (moved <= LEAST) continue;
            memmove(c->normals + kept * c->d, c->normals + i * c->d, c->d * sizeof *c->normals);
            active[kept] = active[i];
            weights[kept++] = moved;
        }
        n = kept;
    }
}

/* h = g - residual, and the score there that a candidate must exceed to beat the target. */
static double move(const cones *c, size_t t, const double *g, const double *residual) {
    for (size_t k = 0; k < c->d; k++) c->moved[k] = g[k] - residual[k];
    double top = dot(c->y + t * c->d, c->moved, c->d);
    return top + 1e-10 * (1.0 + fabs(top));
}

/* The candidate of the front that beats the target by most at h; the target when none does. */
static size_t worst(const cones *c, size_t t, const double *g, const double *residual, size_t front) {
    size_t found = t;
    double top = move(c, t, g, residual);
    for (size_t k = 0; k < front; k++) {
        size_t j = c->front[k];
        double score = dot(c->y + j * c->d, c->moved, c->d);
        if (score > top && j != t) top = score, found = j;
    }
    return found;
}

static int falling(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* The candidates that score best at g are the ones that a projection of it can meet: they come first. */
static size_t choose_front(const cones *c, const double *g) {
    size_t front = 0;
    for (size_t j = 0; j < c->count; j++) c->scores[j] = dot(c->y + j * c->d, g, c->d);
    double bar = -INFINITY;
    if (c->count > FRONT) {
        memcpy(c->sorted, c->scores, c->count * sizeof *c->sorted);
        qsort(c->sorted, c->count, sizeof *c->sorted, falling);
        bar = c->sorted[FRONT];
    }
    for (size_t j = 0; j < c->count; j++)
        if (c->scores[j] > bar) c->front[front++] = j;
    return front;
}

/* All candidates that beat the target at h join the front; whether there was one that was not in it. */
static int widen_front(const cones *c, size_t t, const double *g, const double *residual, size_t *front) {
    size_t before = *front;
    double top = move(c, t, g, residual);
    for (size_t j = 0; j < c->count; j++) {
        int known = j == t || dot(c->y + j * c->d, c->moved, c->d) <= top;
        for (size_t k = 0; k < before && !known; k++) known = c->front[k] == j;
        if (!known) c->front[(*front)++] = j;
    }
    return *front > before;
}

static void orthonormalise(const cones *c, size_t n, projection *p) {
    size_t d = c->d;
    p->active = 0;
    for (size_t i = 0; i < n; i++) {
        double *row = p->basis + p->active * d;
        memcpy(row, c->normals + i * d, d * sizeof *row);
        double before = dot(row, row, d);
        for (size_t j = 0; j < 2 * p->active; j++) { /* twice is enough */
            const double *other = p->basis + (j % p->active) * d;
            double along = dot(row, other, d);
            for (size_t k = 0; k < d; k++) row[k] -= along * other[k];
        }
        double norm = dot(row, row, d);
        if (norm < 1e-16 * before) continue;
        for (size_t k = 0; k < d; k++) row[k] /= sqrt(norm);
        p->active++;
    }
}

static void project(const cones *c, size_t t, const double *g, projection *p) {
    size_t active[MOST_ACTIVE], n = 0, d = c->d;
    double weights[MOST_ACTIVE];
    size_t front = choose_front(c, g);
    memset(p->residual, 0, d * sizeof *p->residual);
    for (;;) {
        size_t next = worst(c, t, g, p->residual, front);
        for (size_t i = 0; i < n; i++)
            if (active[i] == next) next = t;
        if (n == MOST_ACTIVE) break;
        if (next == t && !widen_front(c, t, g, p->residual, &front)) break;
        if (next == t) continue;
        for (size_t k = 0; k < d; k++) c->normals[n * d + k] = c->y[t * d + k] - c->y[next * d + k];
        active[n] = next;
        weights[n] = 0.0;
        n = drop_negative(c, g, n + 1, active, weights);
        memset(p->residual, 0, d * sizeof *p->residual);
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < d; k++) p->residual[k] -= weights[i] * c->normals[i * d + k];
    }
    orthonormalise(c, n, p);
}

/* ---- averages ---- */

/* <B, M' - B'> without traces. */
static double lean(const projection *a, const projection *b, size_t d) {
    double squares = 0.0, n = (double)a->active, m = (double)b->active;
    for (size_t i = 0; i < a->active; i++) {
        double along = dot(a->basis + i * d, b->residual, d);
        squares += along * along;
        for (size_t k = 0; k < b->active; k++) {
            double both = dot(a->basis + i * d, b->basis + k * d, d);
            squares -= both * both;
        }
    }
    return squares - n / (double)d * (dot(b->residual, b->residual, d) - m);
}

typedef struct sums {
    double *b, *m;     /* (d, d) */
    double same, self; /* over pairs on one cone: all, and those of different projections */
} sums;

static void add(const projection *p, size_t d, sums *to) {
    for (size_t x = 0; x < d; x++) {
        for (size_t i = 0; i < p->active; i++)
            for (size_t z = 0; z < d; z++) to->b[x * d + z] += p->basis[i * d + x] * p->basis[i * d + z];
        for (size_t z = 0; z < d; z++) to->m[x * d + z] += p->residual[x] * p->residual[z];
    }
}

/* s and u of one draw of the values. */
static void measure(const cones *c, source *from, double *g, projection *p, sums *all, double *s, double *u) {
    size_t d = c->d, n = c->count;
    memset(all->b, 0, d * d * sizeof *all->b);
    memset(all->m, 0, d * d * sizeof *all->m);
    all->same = all->self = 0.0;
    for (size_t t = 0; t < n; t++) {
        for (size_t a = 0; a < EACH; a++) {
            draw(from, d, g);
            project(c, t, g, &p[a]);
            add(&p[a], d, all);
        }
        for (size_t a = 0; a < EACH; a++) {
            for (size_t b = 0; b < EACH; b++) {
                double value = lean(&p[a], &p[b], d);
                all->same += value;
                if (a != b) all->self += value / (EACH * (EACH - 1));
            }
        }
    }
    double product = dot(all->b, all->b, d * d) - dot(all->b, all->m, d * d), of_b = 0.0, of_m = 0.0;
    for (size_t k = 0; k < d; k++) of_b += all->b[k * d + k], of_m += all->m[k * d + k];
    product -= of_b * (of_b - of_m) / (double)d;
    *s = all->self / (double)n;
    *u = (product + all->same) / (EACH * EACH * (double)n) - *s;
}

static void *room(size_t count) {
    void *block = malloc(count * sizeof(double));
    if (block == NULL) exit(1);
    return block;
}

static void fill_cell(size_t d, size_t count, uint64_t stream, double *s, double *u) {
    double work = 12.0 * (double)count * (double)count * (double)d + 1e4, once_s, once_u;
    size_t draws = (size_t)fmin(1000.0, fmax(count * d > 600000 ? 1.0 : 6.0, 6e8 / work));
    double *y = room(count * d), *scratch = room(d * d + d), *g = room(d);
    cones c = {
        y,           count,       d,          room(MOST_ACTIVE * d), room(MOST_ACTIVE * MOST_ACTIVE), room(d),
        room(count), room(count), room(count)};
    projection p[EACH];
    for (size_t a = 0; a < EACH; a++) p[a] = (projection){0, room(d), room((MOST_ACTIVE + 1) * d)};
    sums all = {room(d * d), room(d * d), 0.0, 0.0};
    source from = {stream, 0};
    *s = *u = 0.0;
    for (size_t k = 0; k < draws; k++) {
        draw(&from, count * d, y);
        whiten(count, d, y, scratch);
        measure(&c, &from, g, p, &all, &once_s, &once_u);
        *s += once_s / (double)draws;
        *u += once_u / (double)draws;
    }
    for (size_t a = 0; a < EACH; a++) free(p[a].residual), free(p[a].basis);
    free(y), free(scratch), free(g), free(c.normals), free(c.gram), free(c.moved), free(all.b), free(all.m);
    free(c.scores), free(c.sorted), free(c.front);
}

static void print_row(const double *row, size_t count, const char *format) {
    for (size_t k = 0; k < count; k++) {
        printf("%s", k > 0 ? ", " : "{");
        printf(format, row[k]);
    }
    printf("}");
}

static void print_table(const char *name, double table[DIMS][RATIOS]) {
    printf("const double %s[IRENEO_SHARED_DIMS][IRENEO_SHARED_RATIOS] = {\n", name);
    for (size_t i = 0; i < DIMS; i++) {
        print_row(table[i], RATIOS, "%.3f");
        printf(",\n");
    }
    printf("};\n");
}

int main(void) {
    double s[DIMS][RATIOS], u[DIMS][RATIOS];
    for (size_t i = 0; i < DIMS; i++) {
        for (size_t k = 0; k < RATIOS; k++) {
            size_t count = (size_t)((double)dims[i] * ratios[k] + 1.5);
            fill_cell(dims[i], count, i * RATIOS + k, &s[i][k], &u[i][k]);
            fprintf(stderr, "%zu dimensions, %zu candidates: %.3f %.3f\n", dims[i], count, s[i][k], u[i][k]);
        }
    }
    double at_dim[DIMS];
    for (size_t i = 0; i < DIMS; i++) at_dim[i] = (double)dims[i];
    printf("/* Made by scripts/shared_table. Do not edit. */\n#include \"linear/law/shared_table.h\"\n\n");
    printf("const double ireneo_shared_dim[IRENEO_SHARED_DIMS] = ");
    print_row(at_dim, DIMS, "%g");
    printf(";\nconst double ireneo_shared_ratio[IRENEO_SHARED_RATIOS] = ");
    print_row(ratios, RATIOS, "%g");
    printf(";\n");
    print_table("ireneo_shared_self", s);
    print_table("ireneo_shared_tilt", u);
    return 0;
}
