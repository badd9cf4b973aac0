/* algo/adapt.c - the automatic damping of a node.
 *
 * Lengths are in posterior standard deviations: <dphi, dmu>, mu = grad A(phi), is the squared length of a
 * step in Fisher's metric. In it the local map phi -> phi* has a symmetric derivative J, so
 * g = |<dphi*, dmu>|/<dphi, dmu> is a Rayleigh quotient of J: at most its spectral radius, which grows
 * towards it as the iterates turn into its direction. A damped step is stable where eta < 2/(1 + radius).
 * In a conjugate model phi* is the gradient of a convex function of mu, so the quotient is not below 0;
 * a step of another likelihood may overshoot. */
#include "algo/adapt.h"
#include "base/straighten.h"

#include <math.h>
#include <string.h>

/* Numbers of memo, and vectors of aux. */
enum { GAIN, EASE, STALE, PATH, PATH_WAS, CEILING, GREW, WINDOW, FROZE, SEEN, ETA, BEGUN, AGAIN };
enum { PHI, MU, STAR, PHI_W, MU_W };
/* What is known of the last round: nothing, only where it ended, or where phi was before it left the domain. */
enum { LEFT = -1, NOTHING, PLACE };

static const double STALE_RATE = 0.02, GAIN_MEMORY = 0.99, AT_REST = 1e-9;
enum { AGE_MOST = 1000, WINDOW_LEAST = 20, WINDOW_MOST = 300, STAGGER = 20, AFTER_FREEZE = 20 };
/* Windows in a row with a freeze after which the step is too long, and after which a place outside the
 * domain is left. */
enum { PATIENCE = 12, STAY = 3 };

/* Where mu is grad A. */
static const double *place(const mb_node *nd)
{
    return MB_STRAIGHTEN_(nd->at != NULL) ? nd->at : nd->phi;
}

static double squared(const mb_node *nd, const double *phi, const double *mu)
{
    const double *now = place(nd);
    double        q = 0;

    for (size_t l = 0; l < nd->layout->len; l++)
        q += (now[l] - phi[l]) * (nd->mu[l] - mu[l]);
    return q;
}

static double quotient(const mb_node *nd, const double *phi_star, const double *star,
                       const double *mu, double q)
{
    double along = 0;

    for (size_t l = 0; l < nd->layout->len; l++)
        along += (phi_star[l] - star[l]) * (nd->mu[l] - mu[l]);
    return along / q;
}

static void remember(const mb_node *nd, double *phi, double *mu)
{
    memcpy(phi, place(nd), nd->layout->len * sizeof *phi);
    memcpy(mu, nd->mu, nd->layout->len * sizeof *mu);
}

static void begin_window(const mb_node *nd, double *aux, double *memo, int32_t more)
{
    const double length = memo[ETA] > 0 ? 8 / memo[ETA] : WINDOW_LEAST;

    memo[WINDOW] = (double)nd->t + floor(fmin(WINDOW_MOST, fmax(WINDOW_LEAST, length))) + more;
    memo[PATH] = 0;
    remember(nd, aux + PHI_W * nd->len, aux + MU_W * nd->len);
}

static void slow_down(double *memo)
{
    memo[CEILING] = fmin(memo[CEILING], 0.7 * memo[EASE]);
    memo[EASE] = fmax(0.1, memo[EASE] / 2);
}

/* Oscillations that do not decay halve the ease; a slow straight approach raises it. One window whose path
 * grows is an event (a neighbour froze, a message came late), a second one is not. */
static void judge(double straight, double fall, double *memo)
{
    const int grew = memo[GREW] > 0;

    if (straight < 0.8 && fall > 0.7 && (fall < 2 || grew)) {
        slow_down(memo);
    } else if (straight > 0.9 && fall > 0.5 && fall < 1) {
        memo[EASE] = fmin(16, 1.5 * memo[EASE]);
    } else if (straight > 0.9 && fall <= 0.5 && memo[EASE] < memo[CEILING]) {
        memo[EASE] = fmin(memo[CEILING], 1.5 * memo[EASE]);
    }
    if (fall > 2 && !grew)
        memo[CEILING] = 1;
    memo[GREW] = fall > 1;
}

/* A freeze disturbs the path, so its window is not judged. One in each of many windows is an oscillation
 * through the boundary of the domain, which never ends with the same damping. */
static void freeze_again(double *memo)
{
    memo[AGAIN]++;
    if (memo[AGAIN] >= PATIENCE) {
        slow_down(memo);
        memo[AGAIN] = 0;
    }
}

static void end_window(const mb_node *nd, double *aux, double *memo)
{
    const size_t len = nd->len;
    const double before = memo[PATH_WAS], path = memo[PATH];
    const double chord = sqrt(fmax(0, squared(nd, aux + PHI_W * len, aux + MU_W * len)));

    if ((double)nd->t - memo[FROZE] <= AFTER_FREEZE) {
        freeze_again(memo);
    } else {
        memo[AGAIN] = 0;
        if (before > 0 && path > AT_REST * sqrt((double)nd->layout->len))
            judge(chord / path, path / before, memo);
    }
    memo[PATH_WAS] = path;
    begin_window(nd, aux, memo, 0);
}

static void measure(const mb_node *nd, const double *phi_star, double *aux, double *memo)
{
    const size_t len = nd->len;
    const double q = squared(nd, aux + PHI * len, aux + MU * len);

    if (q > 0)
        memo[PATH] += sqrt(q);
    if (q > 1e-24)
        memo[GAIN] = fmax(GAIN_MEMORY * memo[GAIN],
                          fabs(quotient(nd, phi_star, aux + STAR * len, aux + MU * len, q)));
}

void mb_adapt_measure_(mb_node *nd, const double *phi_star, double *aux, double *memo)
{
    const size_t len = nd->len;

    if (memo[BEGUN] <= 0) {
        memo[BEGUN] = memo[EASE] = memo[STALE] = memo[CEILING] = 1;
        memo[FROZE] = -AFTER_FREEZE;
        begin_window(nd, aux, memo, nd->id % STAGGER);
    }
    if (nd->outside) {
        memo[FROZE] = (double)nd->t;
        memo[SEEN] = fabs(memo[SEEN]) > NOTHING ? LEFT : NOTHING;
    } else {
        if (memo[SEEN] > NOTHING)
            measure(nd, phi_star, aux, memo);
        if ((double)nd->t >= memo[WINDOW])
            end_window(nd, aux, memo);
        remember(nd, aux + PHI * len, aux + MU * len);
        memcpy(aux + STAR * len, phi_star, len * sizeof *phi_star);
        memo[SEEN] = PLACE;
    }
}

void mb_adapt_event_(const mb_node *nd, double *aux, double *memo, int32_t restart)
{
    memo[SEEN] = NOTHING;
    if (restart && memo[BEGUN] > 0) {
        memo[PATH_WAS] = 0;
        begin_window(nd, aux, memo, 0);
    }
}

double *mb_adapt_star_(const mb_node *nd, double *aux)
{
    return aux + STAR * nd->len;
}

const double *mb_adapt_inside_(const mb_node *nd, const double *aux, const double *memo)
{
    return memo[SEEN] < NOTHING && memo[AGAIN] >= STAY ? aux + PHI * nd->len : NULL;
}

double mb_adapt_gain_(const double *memo)
{
    return memo[GAIN];
}

double mb_adapt_eta_(const mb_inbox *in, double most, double *memo)
{
    double age = 0;

    for (int32_t j = 0; j < in->deg; j++)
        age += (in->msg[j] && in->age[j] < AGE_MOST ? in->age[j] : AGE_MOST) + 1;
    memo[STALE] += STALE_RATE * ((in->deg ? age / in->deg : 1) - memo[STALE]);
    if (memo[GAIN] > 0)
        most = fmin(most, 0.5 / memo[GAIN]);
    memo[ETA] = fmin(1, fmax(0.005, memo[EASE] * most) / memo[STALE]);
    return memo[ETA];
}

double mb_adapted_(const double *memo)
{
    return memo[ETA];
}
