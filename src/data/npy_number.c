/* npy_number.c - the numbers of NumPy's array files as doubles: floats, integers and booleans, of
 * either byte order. */
#include "data/parse.h"

#include <math.h>
#include <string.h>

uint64_t mb_npy_little_(const char *bytes, int width)
{
    uint64_t x = 0;

    for (int b = width - 1; b >= 0; b--)
        x = x << 8 | (unsigned char)bytes[b];
    return x;
}

static uint64_t big(const char *bytes, int width)
{
    uint64_t x = 0;

    for (int b = 0; b < width; b++)
        x = x << 8 | (unsigned char)bytes[b];
    return x;
}

/* IEEE 754 binary16: sign, 5 bits of exponent, 10 of the fraction. */
static double half(uint64_t bits)
{
    const int      exponent = (int)(bits >> 10 & 31);
    const uint64_t fraction = bits & 1023;
    double         x;

    if (exponent == 31)
        x = fraction ? (double)NAN : (double)INFINITY;
    else
        x = ldexp((double)(exponent ? fraction | 1024 : fraction), (exponent ? exponent : 1) - 25);
    return bits >> 15 ? -x : x;
}

static double real(uint64_t bits, int width)
{
    const uint32_t low = (uint32_t)bits;
    double         x;
    float          f;

    if (width == 2)
        return half(bits);
    if (width == 8) {
        memcpy(&x, &bits, 8);
        return x;
    }
    memcpy(&f, &low, 4);
    return (double)f;
}

/* Two's complement. */
static double integer(uint64_t bits, int width)
{
    const uint64_t sign = UINT64_C(1) << (8 * width - 1);
    int64_t        x;

    bits = (bits ^ sign) - sign;
    memcpy(&x, &bits, sizeof x);
    return (double)x;
}

static void any_numbers(const mb_npy_head_ *h, const char *bytes, size_t count, double *x)
{
    const int width = h->width;

    for (size_t k = 0; k < count; k++, bytes += width) {
        const uint64_t bits = h->big ? big(bytes, width) : mb_npy_little_(bytes, width);

        if (h->type == 'f')
            x[k] = real(bits, width);
        else
            x[k] = h->type == 'i' ? integer(bits, width) : (double)bits;
    }
}

void mb_npy_numbers_(const mb_npy_head_ *h, const char *bytes, size_t count, double *x)
{
    const int width = h->width;

    if (h->type == 'f' && width == 8 && !h->big)
        for (size_t k = 0; k < count; k++)
            x[k] = real(mb_little8_(bytes + 8 * k), 8);
    else if (h->type == 'f' && width == 4 && !h->big)
        for (size_t k = 0; k < count; k++)
            x[k] = real(mb_little4_(bytes + 4 * k), 4);
    else if (h->type == 'u' && width == 1)
        for (size_t k = 0; k < count; k++)
            x[k] = (unsigned char)bytes[k];
    else
        any_numbers(h, bytes, count, x);
}
