/* mask.c - masks of the sums of a node: X25519, BLAKE2b and ChaCha20 of libsodium. */
#include "mask.h"

#include <string.h>

#ifdef MB_SODIUM

#include "base/bytes.h"
#include "base/crc32c.h"

#include <assert.h>
#include <sodium.h>
#include <zmq.h>

enum { KEY = 32, PIECE = 64 /* words of a stream that are made at a time */ };

_Static_assert(crypto_scalarmult_BYTES == KEY && crypto_scalarmult_SCALARBYTES == KEY, "X25519");
_Static_assert(crypto_stream_chacha20_ietf_KEYBYTES == KEY, "ChaCha20");
_Static_assert(crypto_stream_chacha20_ietf_NONCEBYTES == 12, "a pass and 4 bytes");

/* What the node shares with a member. */
typedef struct mask_pair {
    uint8_t key[KEY];  /* of the two, as long as the genesis is the same */
    uint8_t pads[KEY]; /* of the record                                */
} mask_pair;

static void hash(uint8_t *out, const void *one, size_t n, const void *other, size_t m)
{
    crypto_generichash_state s;

    (void)crypto_generichash_init(&s, NULL, 0, KEY);
    (void)crypto_generichash_update(&s, one, n);
    (void)crypto_generichash_update(&s, other, m);
    (void)crypto_generichash_final(&s, out, KEY);
    sodium_memzero(&s, sizeof s);
}

/* "meshbayes mask 1", the hash of the genesis, both ids, the lower one first. Returns its bytes. */
static size_t put_label(uint64_t run, int32_t i, int32_t j, unsigned char *out)
{
    static const char label[] = "meshbayes mask 1";
    unsigned char    *at = out + sizeof label - 1;

    memcpy(out, label, sizeof label - 1);
    at = mb_put_u64_(at, run);
    at = mb_put_u32_(at, (uint32_t)(i < j ? i : j));
    return (size_t)(mb_put_u32_(at, (uint32_t)(i < j ? j : i)) - out);
}

/* k_ij; 0: the other key has none, as all its products are zero. */
static int make_pair(const uint8_t *secret, const mb_member *other, int32_t id, uint64_t run,
                     mask_pair *out)
{
    uint8_t       public_key[KEY], product[KEY];
    unsigned char label[40];
    const int     made =
        zmq_z85_decode(public_key, other->key) && !crypto_scalarmult(product, secret, public_key);

    if (made)
        hash(out->key, product, KEY, label, put_label(run, id, other->id, label));
    sodium_memzero(product, sizeof product);
    return made;
}

static mb_status draw(void *self, void *to, size_t n, mb_err *err)
{
    const mask *m = self;

    (void)err;
    randombytes_buf(to, n);
    if (m->drew)
        m->drew(m->self, to, n);
    return MB_OK;
}

static mb_status begin(void *self, int32_t id, const void *record, size_t n, const int32_t *partner,
                       int32_t partners, mb_err *err)
{
    static const char label[] = "meshbayes record 1";
    mask             *m = self;
    uint8_t           epoch[KEY];

    (void)id, (void)err;
    hash(epoch, label, sizeof label - 1, record, n);
    for (int32_t k = 0; k < partners; k++) {
        const int32_t at = mb_declared_find(m->list, partner[k]);

        m->partner[k] = at;
        hash(m->pair[at].pads, m->pair[at].key, KEY, epoch, KEY);
    }
    m->partners = partners;
    m->made = 0;
    return MB_OK;
}

/* w += or -= the stream of a pair; nonce: the pass. */
static void add_stream(const uint8_t *key, uint64_t pass, int adds, size_t n, double *w)
{
    unsigned char nonce[crypto_stream_chacha20_ietf_NONCEBYTES] = {0};
    unsigned char bytes[8 * PIECE];

    (void)mb_put_u64_(nonce, pass);
    for (size_t from = 0; from < n; from += PIECE) {
        const size_t         some = n - from < PIECE ? n - from : PIECE;
        const unsigned char *at = bytes;

        memset(bytes, 0, sizeof bytes);
        crypto_stream_chacha20_ietf_xor_ic(bytes, bytes, sizeof bytes, nonce,
                                           (uint32_t)(from / PIECE * (sizeof bytes / 64)), key);
        for (size_t l = from; l < from + some; l++) {
            uint64_t pad;

            at = mb_get_u64_(at, &pad);
            mb_set_word(w, l, mb_word(w, l) + (adds ? pad : 0 - pad));
        }
    }
    sodium_memzero(bytes, sizeof bytes);
}

static int32_t add(void *self, int32_t id, uint64_t epoch, uint64_t pass, size_t n, double *w)
{
    mask          *m = self;
    const uint32_t words = mb_crc32c_(w, n * sizeof *w);

    const int once = pass > m->made || (pass == m->made && words == m->words);

    (void)epoch;
    assert(once); /* one contribution under a mask; other builds send none */
    if (!once)
        return 0;
    m->made = pass;
    m->words = words;
    for (int32_t k = 0; k < m->partners; k++) {
        const int32_t at = m->partner[k];

        add_stream(m->pair[at].pads, pass, id < m->list->member[at].id, n, w);
    }
    return 1;
}

mb_status mask_open(mb_arena *a, const node_keys *keys, int32_t id, const mb_declared *d,
                    uint64_t run, mask *out, mb_err *err)
{
    uint8_t secret[KEY];
    int     made = sodium_init() >= 0;

    *out = (mask){.id = id, .run = run, .list = d};
    if (!made || !zmq_z85_decode(secret, keys->secret_key))
        MB_FAIL(err, MB_E_NOSUP, "mask: libsodium does not begin");
    MB_NEW(out->pair, a, d->members, err);
    MB_NEW(out->partner, a, d->members, err);
    for (int32_t k = 0; made && k < d->members; k++)
        if (d->member[k].id != id && !make_pair(secret, &d->member[k], id, run, &out->pair[k])) {
            made = 0;
            mb_fail_(err, MB_E_FORMAT, __FILE__, __LINE__,
                     "mask: the key of member %ld is none to share another with",
                     (long)d->member[k].id);
        }
    sodium_memzero(secret, sizeof secret);
    out->by = (mb_masks){.self = out, .add = add, .random = draw, .begin = begin};
    return made ? MB_OK : MB_E_FORMAT;
}

void mask_close(mask *m)
{
    if (m->pair)
        sodium_memzero(m->pair, (size_t)m->list->members * sizeof *m->pair);
    m->partners = 0;
}

#else

mb_status mask_open(mb_arena *a, const node_keys *keys, int32_t id, const mb_declared *d,
                    uint64_t run, mask *out, mb_err *err)
{
    (void)a, (void)keys, (void)id, (void)d, (void)run, (void)out;
    MB_FAIL(err, MB_E_NOSUP,
            "mask: this build has no libsodium, which makes masks (libsodium-dev would add it)");
}

void mask_close(mask *m)
{
    (void)m;
}

#endif
