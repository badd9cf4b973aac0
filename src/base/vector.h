/* base/vector.h - vectors of a layout as bytes (docs/protocol.md, section 4). */
#ifndef MB_BASE_VECTOR_H
#define MB_BASE_VECTOR_H

#include "meshbayes/extend.h"

/* How a vector is coded. */
enum { MB_CODE_FLOAT64_ = 0, MB_CODE_FLOAT32_ = 1, MB_CODE_FLOAT16_ = 2 };

/* n doubles, little-endian. get: 0 when one of them is not finite. */
void mb_put_doubles_(unsigned char *out, const double *x, size_t n);
int  mb_get_doubles_(const unsigned char *in, double *x, size_t n);

/* A vector of len >= l->len numbers in mb_vector_size_ bytes. MB_CODE_FLOAT16_ is differences to
 * `base` (len; not read by the other codes): every block of the layout, and the numbers after
 * them, have one power of two. A sender without a base uses MB_CODE_FLOAT32_. What is too large
 * for a code becomes the largest number it has, so a later difference makes up for it. code stores
 * in `sent` (NULL: nowhere; may be v or base) what the receiver will decode, to the bit. decode
 * returns 0 when a number is not finite, v is then undefined; v may be base. */
size_t mb_vector_size_(const mb_layout *l, size_t len, uint32_t code);
void   mb_vector_code_(const mb_layout *l, size_t len, const double *v, const double *base,
                       uint32_t code, unsigned char *out, double *sent);
int mb_vector_decode_(const mb_layout *l, size_t len, const unsigned char *in, const double *base,
                      uint32_t code, double *v);

/* How far v is from `from`, both of len numbers: the largest difference in a block over the largest
 * number of v there, of all blocks; a number after them is a block of its own. */
double mb_vector_change_(const mb_layout *l, size_t len, const double *v, const double *from);

#endif
