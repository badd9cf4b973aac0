/* vector.c - vectors of a frame as bytes: float64, float32, or float16 differences to what the
 * neighbour has. */
#include "base/vector.h"
#include "base/bytes.h"
#include "base/half.h"

#include <float.h>
#include <math.h>

enum { LEAST_POWER = -128, MOST_POWER = 127, HALF_BITS = 15 };

/* Runs of numbers with a power of two of their own: the blocks, then what follows them. */
static int32_t runs(const mb_layout *l, size_t len)
{
    return l->nblock + (len > l->len);
}

static size_t run_at(const mb_layout *l, size_t len, int32_t b, size_t *off)
{
    if (b == l->nblock) {
        *off = l->len;
        return len - l->len;
    }
    *off = l->block[b].off;
    return l->block[b].len * (size_t)l->block[b].count;
}

void mb_put_doubles_(unsigned char *out, const double *x, size_t n)
{
    for (size_t k = 0; k < n; k++)
        mb_put_f64_(out + 8 * k, x[k]);
}

int mb_get_doubles_(const unsigned char *in, double *x, size_t n)
{
    int good = 1;

    for (size_t k = 0; k < n; k++) {
        mb_get_f64_(in + 8 * k, &x[k]);
        good &= fabs(x[k]) <= DBL_MAX;
    }
    return good;
}

static void code_floats(size_t len, const double *v, unsigned char *out, double *sent)
{
    const double most = (double)FLT_MAX;

    for (size_t k = 0; k < len; k++) {
        const float f = (float)(v[k] > most ? most : v[k] < -most ? -most : v[k]);
        uint32_t    bits;

        memcpy(&bits, &f, sizeof bits);
        mb_put_u32_(out + 4 * k, bits);
        if (sent)
            sent[k] = (double)f;
    }
}

static int decode_floats(size_t len, const unsigned char *in, double *v)
{
    int good = 1;

    for (size_t k = 0; k < len; k++) {
        uint32_t bits;
        float    f;

        mb_get_u32_(in + 4 * k, &bits);
        memcpy(&f, &bits, sizeof f);
        v[k] = (double)f;
        good &= fabs(v[k]) <= DBL_MAX;
    }
    return good;
}

/* The least power of two, within a signed byte, of which no difference exceeds 2^15: halves end at
 * 2^16, so a difference far below the largest one loses nothing, until 2^-29 of it, and is there until
 * 2^-40. So b is exact while l still moves. */
static int power_of(const double *v, const double *base, size_t n)
{
    double most = 0;
    int    k;

    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(v[i] - base[i]));
    if (most > DBL_MAX)
        return MOST_POWER;
    if (!(most > 0))
        return LEAST_POWER;
    k = (frexp(most, &k) > .5 ? k : k - 1) - HALF_BITS;
    return k < LEAST_POWER ? LEAST_POWER : k > MOST_POWER ? MOST_POWER : k;
}

static unsigned char *code_halves(size_t n, const double *v, const double *base, unsigned char *out,
                                  double *sent)
{
    const int    k = power_of(v, base, n);
    const double e = ldexp(1, k), scale = ldexp(1, -k);
    int          bad = 0;

    *out++ = (unsigned char)(k & 255);
    for (size_t i = 0; i < n; i++) {
        const uint16_t h = mb_half_of_((v[i] - base[i]) * scale);

        out = mb_put_u16_(out, h);
        if (sent)
            sent[i] = base[i] + e * mb_half_value_(h, &bad);
    }
    return out;
}

static const unsigned char *decode_halves(size_t n, const unsigned char *in, const double *base,
                                          double *v, int *bad)
{
    const double e = ldexp(1, *in < 128 ? *in : *in - 256);
    uint16_t     h;

    in++;
    for (size_t i = 0; i < n; i++) {
        in = mb_get_u16_(in, &h);
        v[i] = base[i] + e * mb_half_value_(h, bad);
        *bad |= !(fabs(v[i]) <= DBL_MAX);
    }
    return in;
}

size_t mb_vector_size_(const mb_layout *l, size_t len, uint32_t code)
{
    return code == MB_CODE_FLOAT16_   ? 2 * len + (size_t)runs(l, len)
           : code == MB_CODE_FLOAT32_ ? 4 * len
                                      : 8 * len;
}

void mb_vector_code_(const mb_layout *l, size_t len, const double *v, const double *base,
                     uint32_t code, unsigned char *out, double *sent)
{
    size_t off;

    if (code == MB_CODE_FLOAT32_) {
        code_floats(len, v, out, sent);
    } else if (code == MB_CODE_FLOAT16_) {
        for (int32_t b = 0; b < runs(l, len); b++) {
            const size_t n = run_at(l, len, b, &off);

            out = code_halves(n, v + off, base + off, out, sent ? sent + off : NULL);
        }
    } else {
        mb_put_doubles_(out, v, len);
        if (sent && sent != v)
            memcpy(sent, v, len * sizeof *sent);
    }
}

int mb_vector_decode_(const mb_layout *l, size_t len, const unsigned char *in, const double *base,
                      uint32_t code, double *v)
{
    size_t off;
    int    bad = 0;

    if (code == MB_CODE_FLOAT32_)
        return decode_floats(len, in, v);
    if (code != MB_CODE_FLOAT16_)
        return mb_get_doubles_(in, v, len);
    for (int32_t b = 0; b < runs(l, len); b++) {
        const size_t n = run_at(l, len, b, &off);

        in = decode_halves(n, in, base + off, v + off, &bad);
    }
    return !bad;
}

static double change(const double *v, const double *from, size_t n)
{
    double most = 0, moved = 0;

    for (size_t l = 0; l < n; l++) {
        most = fmax(most, fabs(v[l]));
        moved = fmax(moved, fabs(v[l] - from[l]));
    }
    return moved > 0 ? moved / most : 0;
}

double mb_vector_change_(const mb_layout *l, size_t len, const double *v, const double *from)
{
    double worst = 0;
    size_t off;

    for (int32_t b = 0; b < l->nblock; b++) {
        const size_t n = run_at(l, len, b, &off);

        worst = fmax(worst, change(v + off, from + off, n));
    }
    for (size_t k = l->len; k < len; k++)
        worst = fmax(worst, change(v + k, from + k, 1));
    return worst;
}
