/* keys.c - key pairs made, written and read. */
#define _XOPEN_SOURCE 700
#include "keys.h"
#include "base/app.h"
#include "base/text.h"
#include "data/json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zmq.h>

/* Written in one call, so that there is no half of it. */
static mb_status put(const char *file, const char *text, size_t n, mb_err *err)
{
    const int fd = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    int       failed;

    if (fd < 0)
        MB_FAIL(err, MB_E_IO, "%s: cannot be created: %s", file, strerror(errno));
    failed = write(fd, text, n) != (ssize_t)n || fsync(fd);
    if (close(fd) || failed) {
        unlink(file);
        MB_FAIL(err, MB_E_IO, "%s: cannot be written: %s", file, strerror(errno));
    }
    return MB_OK;
}

mb_status node_keys_make(const char *file, node_keys *out, mb_err *err)
{
    char text[512], sign[256] = "";
    int  n;

    if (zmq_curve_keypair(out->public_key, out->secret_key))
        MB_FAIL(err, MB_E_NOSUP, "keys: this libzmq has no CURVE: %s", zmq_strerror(zmq_errno()));
    sign_make(&out->sign);
    if (*out->sign.public_key)
        snprintf(sign, sizeof sign,
                 ",\n  \"signing_public_key\": \"%s\",\n  \"signing_secret_key\": \"%s\"",
                 out->sign.public_key, out->sign.secret_key);
    n = snprintf(text, sizeof text, "{\n  \"public_key\": \"%s\",\n  \"secret_key\": \"%s\"%s\n}\n",
                 out->public_key, out->secret_key, sign);
    return put(file, text, (size_t)n, err);
}

static mb_status take(mb_json_in *j, const mb_json *o, const char *key, char out[MB_CURVE_KEY + 1])
{
    const char *text = mb_json_get_text(j, o, key);
    uint8_t     bytes[32];

    if (!text || strlen(text) != MB_CURVE_KEY || !zmq_z85_decode(bytes, text))
        mb_json_refuse(j, key, "", "40 characters of Z85, as meshbayes-node keygen writes them");
    else
        memcpy(out, text, MB_CURVE_KEY + 1);
    return j->status;
}

/* The pair to sign with, which a file may have. */
static mb_status take_sign(mb_json_in *j, const mb_json *o, sign_keys *out)
{
    const char *open = mb_json_get_text(j, o, "signing_public_key");
    const char *secret = mb_json_get_text(j, o, "signing_secret_key");

    *out = (sign_keys){.public_key = ""};
    if (!open && !secret)
        return j->status;
    if (!open || strlen(open) != SIGN_HEX)
        mb_json_refuse(j, "signing_public_key", "", "64 hexadecimal digits");
    else if (!secret || strlen(secret) != SIGN_HEX)
        mb_json_refuse(j, "signing_secret_key", "", "64 hexadecimal digits");
    MB_TRY(j->status);
    memcpy(out->public_key, open, SIGN_HEX + 1);
    memcpy(out->secret_key, secret, SIGN_HEX + 1);
    if (!sign_fits(out))
        mb_json_refuse(j, "signing_public_key", "", "the public key of signing_secret_key");
    return j->status;
}

/* systemd hands keys to a service in a folder of its own (LoadCredential): the file of this name
 * there, if there is one. NULL: no memory. */
static const char *handed(mb_arena *a, const char *file, mb_err *err)
{
    const char *folder = getenv("CREDENTIALS_DIRECTORY"), *slash = strrchr(file, '/');
    const char *other;

    if (!folder)
        return file;
    other = mb_text(a, err, "%s/%s", folder, slash ? slash + 1 : file);
    return other && access(other, R_OK) ? file : other;
}

mb_status node_secret(mb_arena *a, const char *file, const char **out, mb_err *err)
{
    *out = file = handed(a, file, err);
    return file ? app_secret(file, err) : MB_E_NOMEM;
}

mb_status node_keys_read(mb_arena *a, const char *file, node_keys *out, mb_err *err)
{
    mb_json_in     j = {.file = file, .where = "", .err = err};
    const mb_json *o;
    char           derived[MB_CURVE_KEY + 1];

    MB_TRY(node_secret(a, file, &file, err));
    j.file = file;
    MB_TRY(mb_json_read(a, file, &o, err));
    MB_TRY(take(&j, o, "public_key", out->public_key));
    MB_TRY(take(&j, o, "secret_key", out->secret_key));
    if (zmq_curve_public(derived, out->secret_key) || strcmp(derived, out->public_key) != 0)
        mb_json_refuse(&j, "public_key", "", "the public key of this secret key");
    MB_TRY(j.status);
    return take_sign(&j, o, &out->sign);
}

static mb_status fit_neighbour(const node_keys *keys, const node_config *c, const node_neighbour *n,
                               const char *key, mb_err *err)
{
    uint8_t bytes[32];

    if (!zmq_z85_decode(bytes, key))
        MB_FAIL(err, MB_E_FORMAT, "%s: neighbour %ld: \"%s\" is no key in Z85", c->file,
                (long)n->id, key);
    if (!strcmp(key, keys->public_key))
        MB_FAIL(
            err, MB_E_FORMAT,
            "%s: neighbour %ld: got the public_key of this node; expected that of the neighbour",
            c->file, (long)n->id);
    return MB_OK;
}

mb_status node_keys_fit(const node_keys *keys, const node_config *c, mb_err *err)
{
    uint8_t bytes[32];

    for (int32_t k = 0; k < c->neighbours; k++)
        for (int32_t i = 0; i < NODE_KEYS; i++)
            if (c->neighbour[k].key[i])
                MB_TRY(fit_neighbour(keys, c, &c->neighbour[k], c->neighbour[k].key[i], err));
    for (int32_t k = 0; k < c->revocations; k++) {
        if (!zmq_z85_decode(bytes, c->revoked[k]))
            MB_FAIL(err, MB_E_FORMAT, "%s: revoked: \"%s\" is no key in Z85", c->file,
                    c->revoked[k]);
        if (!strcmp(c->revoked[k], keys->public_key))
            MB_FAIL(err, MB_E_FORMAT,
                    "%s: revoked: got %s, the key of this node; expected a new pair of "
                    "meshbayes-node keygen in %s",
                    c->file, c->revoked[k], c->key);
    }
    return MB_OK;
}
