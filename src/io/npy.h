/* npy.h - NumPy's array files in parts, for readers of whole files and of files piece by piece. */
#ifndef MB_IO_NPY_H
#define MB_IO_NPY_H

#include "meshbayes/table.h"

#include <math.h>

#define MB_NPY_MAGIC_ "\x93NUMPY"
enum { MB_NPY_MAGIC_LEN_ = 6, MB_NPY_LEAD_ = 12 /* bytes that mb_npy_lead_ needs */ };

typedef struct mb_npy_head_ {
    size_t  size;  /* bytes before the numbers    */
    int32_t width; /* bytes of a number: 1, 4 or 8 */
    int32_t ndim;
    int64_t shape[3];
    size_t  count; /* product of shape */
} mb_npy_head_;

/* Bytes before the numbers, from the first n bytes of the file. */
mb_status mb_npy_lead_(const char *file, const char *bytes, size_t n, size_t *size,
                       mb_err *err) MB_CHECKED;
/* The header, from the first n bytes of the file, which must include all of it. */
mb_status mb_npy_head_read_(mb_arena *a, const char *file, const char *bytes, size_t n,
                            mb_npy_head_ *out, mb_err *err) MB_CHECKED;
/* MB_E_FORMAT unless the numbers have as many bytes as the shape says. */
mb_status mb_npy_exact_(const char *file, const mb_npy_head_ *h, size_t bytes,
                        mb_err *err) MB_CHECKED;
void      mb_npy_numbers_(const mb_npy_head_ *h, const char *bytes, size_t count, double *x);
/* Little-endian unsigned integer of `width` bytes. */
uint64_t mb_npy_little_(const char *bytes, int width);
/* Two dimensions, at least one row and one column. */
mb_status mb_npy_shape_(const char *file, int32_t ndim, const int64_t *shape, int64_t *n,
                        int32_t *d, mb_err *err) MB_CHECKED;
/* 1 when a row may hold the number: finite, and up to MB_VALUE_MAX. */
static inline int mb_npy_is_value_(double x)
{
    return fabs(x) <= MB_VALUE_MAX; /* not of NaN */
}
/* The error for any other number; row and col from 0. */
mb_status mb_npy_no_value_(const char *file, int64_t row, int64_t col, double x,
                           mb_err *err) MB_CHECKED;
/* Takes bytes in the order of the file. */
typedef mb_status (*mb_npy_sink_)(void *to, const void *bytes, size_t n, mb_err *err);
/* An NPY file of 0 to 3 dimensions, into a sink. */
mb_status mb_npy_put_(mb_npy_sink_ sink, void *to, int32_t ndim, const int64_t *shape,
                      const double *x, mb_err *err) MB_CHECKED;

#endif
