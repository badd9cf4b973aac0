/* frame.c - the fixed part of a frame (docs/protocol.md, section 4): encoder, decoder and checks from
 * one table. */
#include "mesh/frame.h"
#include "base/bytes.h"

enum { LAST_ID = INT32_MAX - 1 };
#define MOST_TICKS  4611686018427387904.0 /* 2^62 */
#define MOST_U32    4294967295.0
#define LEAST_KAPPA (1 / MB_VALUE_MAX)

/* Type, name, least and largest value, in the order of the bytes. */
#define FIELDS(X)                                                                                  \
    X(u32, magic, MB_FRAME_MAGIC_, MB_FRAME_MAGIC_)                                                \
    X(u16, version, MB_FRAME_VERSION_, MB_FRAME_VERSION_)                                          \
    X(u8, flags, 0, MB_FRAME_FLAGS_)                                                               \
    X(u8, count, 0, MB_FRAME_COUNT_)                                                               \
    X(u64, plan, 0, (double)UINT64_MAX)                                                            \
    X(u64, run, 0, (double)UINT64_MAX)                                                             \
    X(u32, from, 0, LAST_ID)                                                                       \
    X(u32, to, 0, LAST_ID)                                                                         \
    X(u32, incarnation, 1, MOST_U32)                                                               \
    X(u32, echo_life, 0, MOST_U32)                                                                 \
    X(u64, tick, 0, MOST_TICKS)                                                                    \
    X(u64, echo, 0, MOST_TICKS)                                                                    \
    X(u64, base, 0, MOST_TICKS)                                                                    \
    X(u64, beat, 0, (double)UINT64_MAX)                                                            \
    X(u32, leader, 0, LAST_ID)                                                                     \
    X(u32, hop, 0, INT32_MAX)                                                                      \
    X(u32, hops, 0, INT32_MAX)                                                                     \
    X(u32, ttl, 0, INT32_MAX)                                                                      \
    X(u32, quiet, 0, INT32_MAX)                                                                    \
    X(u32, rounds, 0, MOST_U32)                                                                    \
    X(u32, degree, 0, INT32_MAX)                                                                   \
    X(u16, code, 0, MB_CODE_FLOAT16_)                                                              \
    X(u16, parts, 0, MB_FRAME_PARTS_)                                                              \
    X(f64, kappa, LEAST_KAPPA, MB_VALUE_MAX)                                                       \
    X(f64, n_nodes, 0, MB_VALUE_MAX)                                                               \
    X(u32, samples, 0, MB_FRAME_ROWS_)                                                             \
    X(u32, bytes, 0, MOST_U32)

#define PUT(type, name, lo, hi)   at = mb_put_##type##_(at, f->name);
#define GET(type, name, lo, hi)   at = mb_get_##type##_(at, &f->name);
#define VALUE(type, name, lo, hi) (double)f->name,
#define RANGE(type, name, lo, hi) {#name, lo, hi},

/* Returns the cause, with a message in words. */
#define REFUSE(err, why, ...)                                                                      \
    do {                                                                                           \
        mb_fail_((err), MB_E_FORMAT, __FILE__, __LINE__, __VA_ARGS__);                             \
        return (why);                                                                              \
    } while (0)

static unsigned char *put_fields(unsigned char *at, const mb_frame_ *f)
{
    FIELDS(PUT)
    return at;
}

static void get_fields(const unsigned char *at, mb_frame_ *f)
{
    FIELDS(GET)
    (void)at;
}

static mb_refusal check_ranges(const mb_frame_ *f, mb_err *err)
{
    static const struct {
        const char *name;
        double      least, most;
    } range[] = {FIELDS(RANGE)};
    const double value[] = {FIELDS(VALUE)};

    for (size_t k = 0; k < sizeof value / sizeof *value; k++)
        if (!(value[k] >= range[k].least && value[k] <= range[k].most))
            REFUSE(err, MB_REFUSED_VALUE, "frame: %s: got %.10g; expected %.10g to %.10g",
                   range[k].name, value[k], range[k].least, range[k].most);
    return MB_REFUSED_NONE;
}

static mb_refusal check_values(const mb_frame_ *f, mb_err *err)
{
    if (check_ranges(f, err))
        return MB_REFUSED_VALUE;
    if (f->flags & MB_FRAME_VECTOR_ && (f->code == MB_CODE_FLOAT16_) != (f->base > 0))
        REFUSE(err, MB_REFUSED_VALUE,
               "frame: base: got %lld with code %u; expected 0 with codes 0 and 1, above 0 with 2",
               (long long)f->base, (unsigned)f->code);
    if (!(f->flags & MB_FRAME_SAMPLE_) && f->samples)
        REFUSE(err, MB_REFUSED_VALUE,
               "frame: samples: got %u without the flag of a sample; expected 0",
               (unsigned)f->samples);
    return MB_REFUSED_NONE;
}

size_t mb_frame_seal_(const mb_frame_ *f, unsigned char *out)
{
    const size_t n = MB_FRAME_HEAD_ + (size_t)f->bytes;
    mb_frame_    own = *f;

    own.magic = MB_FRAME_MAGIC_;
    own.version = MB_FRAME_VERSION_;
    put_fields(out, &own);
    mb_put_u32_(out + n, mb_crc32c_(out, n));
    return n + MB_FRAME_TAIL_;
}

mb_refusal mb_frame_open_(const unsigned char *bytes, size_t n, mb_frame_ *f, mb_err *err)
{
    const size_t around = MB_FRAME_HEAD_ + MB_FRAME_TAIL_;
    uint32_t     received, sum;

    if (n < around)
        REFUSE(err, MB_REFUSED_SHORT, "frame: got %zu bytes; expected at least %zu", n, around);
    get_fields(bytes, f);
    if (f->magic != MB_FRAME_MAGIC_)
        REFUSE(err, MB_REFUSED_DAMAGED, "frame: magic: got 0x%08x; expected 0x%08x",
               (unsigned)f->magic, (unsigned)MB_FRAME_MAGIC_);
    if (f->version == MB_FRAME_VERSION_ && f->bytes != n - around)
        REFUSE(err, MB_REFUSED_SHORT, "frame: got %zu bytes; expected %zu and a payload of %lld", n,
               around, (long long)f->bytes);
    mb_get_u32_(bytes + n - MB_FRAME_TAIL_, &received);
    sum = mb_crc32c_(bytes, n - MB_FRAME_TAIL_);
    if (received != sum)
        REFUSE(err, MB_REFUSED_DAMAGED, "frame: checksum: got 0x%08x; expected 0x%08x",
               (unsigned)received, (unsigned)sum);
    if (f->version != MB_FRAME_VERSION_)
        REFUSE(err, MB_REFUSED_VERSION, "frame: version of the protocol: got %d; expected %d",
               f->version, MB_FRAME_VERSION_);
    return check_values(f, err);
}
