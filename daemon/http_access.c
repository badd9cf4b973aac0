/* http_access.c - who may read the status beyond this machine: clients with the token, or with a
 * certificate of the authority, which GnuTLS checks. */
#include "base/ask.h"
#include "data/file.h"
#include "http_inside.h"

#include <string.h>
#ifdef MB_GNUTLS
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#endif

static mb_status read_text(mb_arena *a, const char *file, const char **out, mb_err *err)
{
    char  *text;
    size_t n;

    MB_TRY(mb_file_read(a, file, &text, &n, err));
    if (!strstr(text, "-----BEGIN "))
        MB_FAIL(err, MB_E_FORMAT, "%s: no line begins with -----BEGIN; expected a PEM file", file);
    *out = text;
    return MB_OK;
}

mb_status http_access_read(mb_arena *a, const node_config *c, http_access *out, mb_err *err)
{
    const char *token, *key;

    *out = (http_access){.token = NULL};
    if (c->status_token) {
        MB_TRY(node_secret(a, c->status_token, &token, err));
        MB_TRY(ask_token(a, token, &out->token, err));
    }
    if (!c->status_cert)
        return MB_OK;
    if (MHD_is_feature_supported(MHD_FEATURE_TLS) != MHD_YES)
        MB_FAIL(err, MB_E_NOSUP,
                "%s: got status_tls; expected none: the libmicrohttpd of this machine has no TLS",
                c->file);
#ifndef MB_GNUTLS
    if (c->status_ca)
        MB_FAIL(err, MB_E_NOSUP,
                "%s: got status_tls.client_ca; expected none: this build has no GnuTLS "
                "(libgnutls28-dev would add it)",
                c->file);
#endif
    MB_TRY(node_secret(a, c->status_key, &key, err));
    MB_TRY(read_text(a, key, &out->key, err));
    MB_TRY(read_text(a, c->status_cert, &out->cert, err));
    return c->status_ca ? read_text(a, c->status_ca, &out->ca, err) : MB_OK;
}

/* 1: the certificate of the client is one of the authority. */
static int is_known(struct MHD_Connection *c)
{
#ifdef MB_GNUTLS
    const union MHD_ConnectionInfo *is =
        MHD_get_connection_info(c, MHD_CONNECTION_INFO_GNUTLS_SESSION);
    unsigned int wrong = 1;

    return is && is->tls_session &&
           gnutls_certificate_verify_peers2((gnutls_session_t)is->tls_session, &wrong) ==
               GNUTLS_E_SUCCESS &&
           !wrong;
#else
    (void)c;
    return 0;
#endif
}

/* 1: the texts are the same; how long it takes does not say where they differ. */
static int same(const char *secret, const char *got)
{
    const size_t  n = strlen(got);
    unsigned char differs = n != strlen(secret);

    for (size_t k = 0; secret[k]; k++)
        differs |= (unsigned char)(secret[k] ^ (k < n ? got[k] : 0));
    return !differs;
}

mb_status http_admit(http_request *r, mb_err *err)
{
    static const char bearer[] = "Bearer ";
    const char       *got =
        MHD_lookup_connection_value(r->connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_AUTHORIZATION);

    if (r->h->access.ca && !is_known(r->connection))
        return http_refuse(
            r, MHD_HTTP_FORBIDDEN, HTTP_CERTIFICATE, err,
            "got no certificate of status_tls.client_ca; expected one that it signed");
    if (r->h->access.token && (!got || strncmp(got, bearer, sizeof bearer - 1) != 0 ||
                               !same(r->h->access.token, got + sizeof bearer - 1)))
        return http_refuse(
            r, MHD_HTTP_UNAUTHORIZED, HTTP_TOKEN, err,
            "got %s; expected a header Authorization: Bearer TOKEN with the token of "
            "status_token_file",
            got ? "another token" : "no token");
    return MB_OK;
}

mb_status http_local(http_request *r, const char *route, mb_err *err)
{
    if (!r->h->path)
        return http_refuse(r, MHD_HTTP_FORBIDDEN, HTTP_FORBIDDEN, err,
                           "POST %s: got a TCP connection; expected one to a Unix socket: "
                           "\"status\": \"unix:PATH\"",
                           route);
    return MB_OK;
}
