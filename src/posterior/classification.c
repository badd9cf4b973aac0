/* classification.c - predicted levels of a target beside those observed: confusion, log loss,
 * calibration. */
#include "meshbayes/meshbayes.h"

#include <float.h>
#include <math.h>

static const double NORMAL_975 = 1.95996398454005424;

mb_status mb_classification_new(mb_arena *a, int32_t levels, mb_classification *out, mb_err *err)
{
    if (levels < 2)
        MB_FAIL(err, MB_E_ARG, "levels = %d; expected 2 or more", (int)levels);
    *out = (mb_classification){.levels = levels};
    MB_NEW(out->table, a, (size_t)levels * (size_t)levels, err);
    if (levels == 2)
        MB_NEW(out->bin, a, 3 * MB_CALIBRATION_BINS, err);
    return MB_OK;
}

static int32_t largest(const double *p, int32_t n)
{
    int32_t best = 0;

    for (int32_t c = 1; c < n; c++)
        best = p[c] > p[best] ? c : best;
    return best;
}

/* A row of two levels, the second of which has probability p. */
static void calibrate(mb_classification *c, double p, int is_second, double weight)
{
    const int32_t last = MB_CALIBRATION_BINS - 1, k = (int32_t)(p * MB_CALIBRATION_BINS);
    double       *bin = c->bin + 3 * (k < last ? k : last);

    bin[0] += weight;
    bin[1] += weight * p;
    bin[2] += is_second ? weight : 0;
}

void mb_classification_add(mb_classification *c, int64_t n, const double *probability,
                           const double *y, size_t ld, const double *w)
{
    for (int64_t j = 0; j < n; j++, probability += c->levels) {
        const double observed = y[(size_t)j * ld], weight = w ? w[j] : 1;

        if (!(observed >= 0 && observed < c->levels))
            continue;

        const int32_t level = (int32_t)observed;

        c->table[level * c->levels + largest(probability, c->levels)] += weight;
        c->loss -= weight * log(fmax(probability[level], DBL_MIN));
        c->weight += weight;
        if (c->bin)
            calibrate(c, probability[1], level == 1, weight);
    }
}

double mb_classification_accuracy(const mb_classification *c)
{
    double right = 0;

    for (int32_t l = 0; l < c->levels; l++)
        right += c->table[l * c->levels + l];
    return right / c->weight;
}

double mb_classification_loss(const mb_classification *c)
{
    return c->loss / c->weight;
}

double mb_calibration(const mb_classification *c, int32_t bin, double *predicted, double *observed,
                      double *low, double *high)
{
    const double *b = c->bin + 3 * bin, n = b[0], z2 = NORMAL_975 * NORMAL_975;

    if (!(n > 0))
        return 0;

    const double share = b[2] / n, middle = (share + z2 / (2 * n)) / (1 + z2 / n);
    const double half =
        NORMAL_975 / (1 + z2 / n) * sqrt(share * (1 - share) / n + z2 / (4 * n * n));

    *predicted = b[1] / n;
    *observed = share;
    *low = fmax(middle - half, 0);
    *high = fmin(middle + half, 1);
    return n;
}
