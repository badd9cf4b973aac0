/* frames.c - for check_frame.py: reads doubles from standard input, v and base in turn (LEN each),
 * and writes for each pair and coding the frame, its bytes as u32 before it and what the sender
 * takes for decoded after it. */
#include "base/bytes.h"
#include "mesh/frame.h"

#include <stdio.h>

enum { LEN = 25, MOST = 128 + 8 * LEN + 4 };

static void put(const void *bytes, size_t n)
{
    if (fwrite(bytes, 1, n, stdout) != n)
        _Exit(1);
}

static void code(const mb_layout *l, const double *v, const double *base, mb_frame_ f)
{
    unsigned char frame[MOST], size[4], numbers[8 * LEN];
    double        sent[LEN];
    size_t        n;

    f.bytes = (uint32_t)mb_vector_size_(l, LEN, f.code);
    mb_vector_code_(l, LEN, v, base, f.code, frame + MB_FRAME_HEAD_, sent);
    n = mb_frame_seal_(&f, frame);
    mb_put_u32_(size, (uint32_t)n);
    mb_put_doubles_(numbers, sent, LEN);
    put(size, sizeof size);
    put(frame, n);
    put(numbers, sizeof numbers);
}

int main(void)
{
    mb_layout     l = {0};
    unsigned char in[16 * LEN];
    double        x[2 * LEN];

    if (mb_layout_add(&l, &mb_dirichlet, 2, 1, NULL) < 0 ||
        mb_layout_add(&l, &mb_normal_wishart, 2, 3, NULL) < 0 || l.len + 2 != LEN)
        return 1;
    for (uint64_t tick = 1; fread(in, sizeof in, 1, stdin) == 1; tick++) {
        mb_get_doubles_(in, x, (size_t)2 * LEN);
        for (uint32_t c = 0; c <= MB_CODE_FLOAT16_; c++)
            code(&l, x, x + LEN,
                 (mb_frame_){.flags = MB_FRAME_HEARS_ | MB_FRAME_VECTOR_,
                             .count = 27,
                             .plan = UINT64_C(0x8182838485868788),
                             .run = UINT64_C(0x9192939495969798),
                             .from = 11,
                             .to = 12,
                             .incarnation = 13,
                             .echo_life = 14,
                             .tick = tick,
                             .echo = 15,
                             .base = c == MB_CODE_FLOAT16_ ? 16 : 0,
                             .beat = 17,
                             .leader = 18,
                             .hop = 19,
                             .hops = 20,
                             .ttl = 21,
                             .quiet = 22,
                             .rounds = 23,
                             .degree = 24,
                             .code = c,
                             .kappa = 25.5,
                             .n_nodes = 26.25});
    }
    return 0;
}
