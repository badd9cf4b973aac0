/* The input is the record of a node, as it is and with its checksums put right: it runs again, or is
 * refused in one line. */
#include "fuzz.h"

#include "data/file.h"
#include "virtual/record.h"
#include "virtual/record_format.h"

#include <string.h>

enum { MOST = 1 << 14, BIG = 1000 /* rows and neighbours of a node */ };

static void run(const uint8_t *data, size_t size)
{
    mb_replay  *r;
    mb_err      err = {0};
    mb_replayed got;
    mb_status   st = mb_replay_open(fuzz_file(data, size, ".mbr"), &r, &err);

    fuzz_check(st, &err);
    if (st < 0)
        return;
    while (st == MB_OK)
        st = mb_replay_next(r, NULL, &err);
    fuzz_check(st, &err);
    mb_replay_look(r, &got);
    if (got.calls < got.ticks + got.frames + got.saves)
        abort();
    mb_replay_close(r);
}

static uint32_t number(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void put_crc(uint8_t *from, uint8_t *at)
{
    const uint32_t crc = mb_crc32(0, from, (size_t)(at - from));

    for (int k = 0; k < 4; k++)
        at[k] = (uint8_t)(crc >> 8 * k);
}

/* A node that takes all memory is no finding: its counts lose their upper bytes. */
static void make_small(uint8_t *options)
{
    mb_peer_opt o;

    if (mb_record_get_opt_(options, &o) && o.neighbours <= BIG && o.rows <= BIG)
        return;
    memset(options + 17, 0, 7);
    memset(options + 25, 0, 7);
}

static void repair(uint8_t *data, size_t size)
{
    size_t at = MB_RECORD_HEAD_;

    if (size < at + MB_RECORD_CRC_ || number(data + 4) > size - at - MB_RECORD_CRC_)
        return;
    at += number(data + 4);
    put_crc(data, data + at);
    for (at += MB_RECORD_CRC_; size - at >= MB_RECORD_LINE_;) {
        const size_t left = size - at - MB_RECORD_LINE_;
        const size_t n = number(data + at);

        put_crc(data + at, data + at + MB_RECORD_LINE_ - MB_RECORD_CRC_);
        at += MB_RECORD_LINE_;
        if (!n)
            continue;
        if (n > left || left - n < MB_RECORD_CRC_)
            return;
        if (number(data + at - MB_RECORD_LINE_ + 4) == MB_CALL_NEW && n == MB_RECORD_OPTIONS_)
            make_small(data + at);
        put_crc(data + at, data + at + n);
        at += n + MB_RECORD_CRC_;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *copy;

    if (size > MOST)
        return 0;
    copy = malloc(size + 1);
    if (!copy)
        return 0;
    memcpy(copy, data, size);
    copy[size] = 0;
    run(copy, size);
    repair(copy, size);
    run(copy, size);
    free(copy);
    return 0;
}
