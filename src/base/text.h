/* base/text.h - texts in an arena, and further random numbers. */
#ifndef MB_BASE_TEXT_H
#define MB_BASE_TEXT_H

#include "meshbayes/meshbayes.h"

/* Text made by a printf format, in the arena; NULL with the error record filled if memory is short.
 * A build without stdio knows %s %d %u %c %x %zu %lld %ld %g. */
const char *mb_text(mb_arena *a, mb_err *err, const char *fmt, ...) MB_PRINTF(3, 4);
/* n texts, copied into the arena; NULL stays. */
mb_status mb_texts_copy(mb_arena *a, int64_t n, const char *const *from, const char *const **to,
                        mb_err *err) MB_CHECKED;
/* Bytes of the UTF-8 character at `text`, 0 when it is none. */
int mb_utf8(const char *text);

/* Beside those of meshbayes.h. */
void     mb_rng_skip(mb_rng *r, uint64_t n); /* passes over n of mb_rng_u32   */
uint32_t mb_rng_u32(mb_rng *r);              /* uniform on 0..2^32 - 1        */
/* out: the next n of mb_rng_uniform. */
void   mb_rng_uniforms(mb_rng *r, int64_t n, double *out);
double mb_gumbel_of(double uniform); /* -ln(-ln U)                    */

#endif
