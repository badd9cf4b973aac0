/* keys.h - the key pair of a node: a file that only its owner can read. */
#ifndef MB_DAEMON_KEYS_H
#define MB_DAEMON_KEYS_H

#include "config.h"
#include "sign.h"

/* A pair in Z85 (RFC 32 of ZeroMQ). */
typedef struct node_keys {
    char      public_key[MB_CURVE_KEY + 1], secret_key[MB_CURVE_KEY + 1];
    sign_keys sign; /* "": none */
} node_keys;

/* Makes a pair and writes it to a new file with mode 0600. MB_E_IO if the file is there. */
mb_status node_keys_make(const char *file, node_keys *out, mb_err *err) MB_CHECKED;
/* *out: the file of a secret: that of this name in $CREDENTIALS_DIRECTORY, which systemd sets, if
 * it is there. MB_E_ARG if others than the owner may read it; MB_E_IO if there is none. */
mb_status node_secret(mb_arena *a, const char *file, const char **out, mb_err *err) MB_CHECKED;
/* Reads a pair, a secret. MB_E_FORMAT if it is none. */
mb_status node_keys_read(mb_arena *a, const char *file, node_keys *out, mb_err *err) MB_CHECKED;
/* The keys of the configuration: MB_E_FORMAT names one that is none, a neighbour's that is that of
 * this node, and that of this node where it is revoked. */
mb_status node_keys_fit(const node_keys *keys, const node_config *c, mb_err *err) MB_CHECKED;

#endif
