/* CRC-32C of frames. */
#include "base/text.h"
#include "crc_by_bit.h"
#include "mesh/frame.h"
#include "test.h"

/* RFC 3720, appendix B.4, and the check value of the catalogue of CRCs. */
TEST(checksums_are_the_published_ones)
{
    unsigned char              b[48];
    static const unsigned char iscsi[48] = {
        0x01, 0xc0, 0, 0,    0, 0, 0, 0,    0,    0, 0, 0, 0, 0, 0, 0, 0x14, 0, 0, 0, 0, 0, 4, 0,
        0,    0,    0, 0x14, 0, 0, 0, 0x18, 0x28, 0, 0, 0, 0, 0, 0, 0, 2,    0, 0, 0, 0, 0, 0, 0};

    assert_int_equal(mb_crc32c_("123456789", 9), 0xe3069283);
    assert_int_equal(mb_crc32c_("", 0), 0);
    memset(b, 0, 32);
    assert_int_equal(mb_crc32c_(b, 32), 0x8a9136aa);
    memset(b, 255, 32);
    assert_int_equal(mb_crc32c_(b, 32), 0x62a8ab43);
    for (unsigned char k = 0; k < 32; k++)
        b[k] = k;
    assert_int_equal(mb_crc32c_(b, 32), 0x46dd794e);
    for (unsigned char k = 0; k < 32; k++)
        b[k] = (unsigned char)(31 - k);
    assert_int_equal(mb_crc32c_(b, 32), 0x113fdb5c);
    assert_int_equal(mb_crc32c_(iscsi, 48), 0xd9963a56);
}

TEST(table_and_instruction_divide_as_bit_by_bit)
{
    unsigned char b[200];
    mb_rng        rng = mb_rng_at(1, MB_STREAM_SAMPLE, 0, 0);

    for (size_t n = 0; n < sizeof b; n++)
        for (size_t from = 0; from < 9 && from <= n; from++) {
            for (size_t k = 0; k < n; k++)
                b[k] = (unsigned char)mb_rng_u32(&rng);
            assert_int_equal(mb_crc32c_(b + from, n - from), by_bit(b + from, n - from));
            assert_int_equal(mb_crc32c_plain_(b + from, n - from), by_bit(b + from, n - from));
        }
}

RUN_TESTS(NULL, NULL)
