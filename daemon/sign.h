/* sign.h - Ed25519 by libsodium, with which members of a mesh sign what they state in audits. A
 * build without it signs nothing, and takes no part. */
#ifndef MB_DAEMON_SIGN_H
#define MB_DAEMON_SIGN_H

#include "meshbayes/meshbayes.h"

enum { SIGN_HEX = 2 * MB_SIGNING_KEY /* characters of a key */ };

/* A pair in hexadecimal digits; "": none. */
typedef struct sign_keys {
    char public_key[SIGN_HEX + 1], secret_key[SIGN_HEX + 1];
} sign_keys;

/* A new pair; "" and "" in a build without libsodium. */
void sign_make(sign_keys *out);
/* 1: the secret key is one, and the public key is its own. */
int sign_fits(const sign_keys *k);
/* The same key as bytes. */
int sign_is(const sign_keys *k, const uint8_t *public_key);

/* Signs with a pair that fits; what it points to stays with the owner. */
typedef struct sign_own {
    uint8_t   secret[64];
    mb_signer by;
} sign_own;
/* NULL: there is no pair, or the build cannot sign. */
const mb_signer *sign_with(const sign_keys *k, sign_own *out);

#endif
