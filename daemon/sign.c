/* sign.c - Ed25519: keys, signatures, and their check. */
#include "sign.h"

#include <string.h>

#ifdef MB_SODIUM

#include <sodium.h>

_Static_assert(crypto_sign_PUBLICKEYBYTES == MB_SIGNING_KEY, "an Ed25519 public key");
_Static_assert(crypto_sign_SEEDBYTES == MB_SIGNING_KEY, "an Ed25519 secret key is its seed");
_Static_assert(crypto_sign_BYTES == MB_SIGNATURE, "an Ed25519 signature");

static int from_hex(const char *hex, uint8_t *out)
{
    size_t n;

    return !sodium_hex2bin(out, MB_SIGNING_KEY, hex, strlen(hex), NULL, &n, NULL) &&
           n == MB_SIGNING_KEY;
}

void sign_make(sign_keys *out)
{
    uint8_t seed[MB_SIGNING_KEY], public_key[MB_SIGNING_KEY], secret[64];

    *out = (sign_keys){.public_key = ""};
    if (sodium_init() < 0)
        return;
    randombytes_buf(seed, sizeof seed);
    crypto_sign_seed_keypair(public_key, secret, seed);
    sodium_bin2hex(out->public_key, sizeof out->public_key, public_key, sizeof public_key);
    sodium_bin2hex(out->secret_key, sizeof out->secret_key, seed, sizeof seed);
    sodium_memzero(seed, sizeof seed);
    sodium_memzero(secret, sizeof secret);
}

/* Both keys of a pair, of which the public one follows from the secret one. */
static int open_pair(const sign_keys *k, uint8_t *public_key, uint8_t *secret)
{
    uint8_t seed[MB_SIGNING_KEY];
    int     done;

    done = sodium_init() >= 0 && from_hex(k->secret_key, seed);
    if (done)
        crypto_sign_seed_keypair(public_key, secret, seed);
    sodium_memzero(seed, sizeof seed);
    return done;
}

int sign_fits(const sign_keys *k)
{
    uint8_t public_key[MB_SIGNING_KEY], secret[64];

    return open_pair(k, public_key, secret) && sign_is(k, public_key);
}

int sign_is(const sign_keys *k, const uint8_t *public_key)
{
    uint8_t own[MB_SIGNING_KEY];

    return from_hex(k->public_key, own) && !memcmp(own, public_key, sizeof own);
}

static int sign(void *self, const void *bytes, size_t n, uint8_t *signature)
{
    return !crypto_sign_detached(signature, NULL, bytes, n, self);
}

static int verify(void *self, const uint8_t *key, const void *bytes, size_t n,
                  const uint8_t *signature)
{
    (void)self;
    return !crypto_sign_verify_detached(signature, bytes, n, key);
}

const mb_signer *sign_with(const sign_keys *k, sign_own *out)
{
    uint8_t public_key[MB_SIGNING_KEY];

    if (!*k->public_key || !open_pair(k, public_key, out->secret))
        return NULL;
    out->by = (mb_signer){out->secret, sign, verify};
    return &out->by;
}

#else

void sign_make(sign_keys *out)
{
    *out = (sign_keys){.public_key = ""};
}

int sign_fits(const sign_keys *k)
{
    (void)k;
    return 1;
}

int sign_is(const sign_keys *k, const uint8_t *public_key)
{
    (void)k, (void)public_key;
    return 1;
}

const mb_signer *sign_with(const sign_keys *k, sign_own *out)
{
    (void)k, (void)out;
    return NULL;
}

#endif
