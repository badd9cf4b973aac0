/* Frames: the input unchanged, and with its length and checksum corrected, so that the checks after
 * those are reached too. What opens and is sealed again is the same frame; a vector that is decoded
 * can be sent on. */
#include "fuzz.h"

#include "base/bytes.h"
#include "mesh/frame.h"

#include <math.h>
#include <string.h>

enum {
    MOST = 1 << 13,
    AROUND = MB_FRAME_HEAD_ + MB_FRAME_TAIL_,
    LEN = 2 + 3 * 7 + 2,
    BYTES_AT = 124
};

/* A mixture of three components on two columns; vectors have two more numbers. */
static mb_layout layout(void)
{
    mb_layout l = {0};

    if (mb_layout_add(&l, &mb_dirichlet, 2, 1, NULL) < 0 ||
        mb_layout_add(&l, &mb_normal_wishart, 2, 3, NULL) < 0 || l.len + 2 != LEN)
        abort();
    return l;
}

static void expect_finite(const double *x)
{
    for (int k = 0; k < LEN; k++)
        if (!isfinite(x[k]))
            abort();
}

/* A vector is decoded to finite numbers, and what is coded of them is decoded as the sender says. */
static void vectors(const mb_frame_ *f, const unsigned char *in)
{
    const mb_layout l = layout();
    unsigned char   again[8 * LEN];
    double          base[LEN], v[LEN], sent[LEN], got[LEN];

    for (int k = 0; k < LEN; k++)
        base[k] = k - LEN / 3.0;
    if (f->bytes < mb_vector_size_(&l, LEN, f->code) ||
        !mb_vector_decode_(&l, LEN, in, base, f->code, v))
        return;
    expect_finite(v);
    for (uint32_t code = 0; code <= MB_CODE_FLOAT16_; code++) {
        mb_vector_code_(&l, LEN, v, base, code, again, sent);
        if (!mb_vector_decode_(&l, LEN, again, base, code, got) || memcmp(got, sent, sizeof got))
            abort();
        expect_finite(got);
    }
}

static void open_and_seal(const unsigned char *in, size_t n)
{
    static unsigned char again[MOST + AROUND];
    mb_frame_            f;
    mb_err               err = {0};
    const mb_refusal     why = mb_frame_open_(in, n, &f, &err);

    if (why != MB_REFUSED_NONE) {
        fuzz_check(MB_E_FORMAT, &err);
        return;
    }
    memcpy(again + MB_FRAME_HEAD_, in + MB_FRAME_HEAD_, f.bytes);
    if (mb_frame_seal_(&f, again) != n || memcmp(again, in, n))
        abort();
    if (f.flags & MB_FRAME_VECTOR_)
        vectors(&f, in + MB_FRAME_HEAD_);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static unsigned char mended[MOST];

    open_and_seal(data, size);
    if (size < AROUND || size > MOST)
        return 0;
    memcpy(mended, data, size);
    mb_put_u32_(mended + BYTES_AT, (uint32_t)(size - AROUND));
    mb_put_u32_(mended + size - MB_FRAME_TAIL_, mb_crc32c_(mended, size - MB_FRAME_TAIL_));
    open_and_seal(mended, size);
    return 0;
}
