/* fetch.h - public data sets: downloaded or taken from a folder, brought into our files, checked. */
#ifndef MB_FETCH_H
#define MB_FETCH_H

#include "app.h"

/* A data set that `meshbayes data fetch` knows. */
typedef struct fetch_job {
    mb_arena   *a;    /* for all that is short-lived too                                     */
    const char *from; /* folder with a local copy; NULL: download                            */
    const char *temp; /* an empty folder for what is downloaded or unpacked, removed afterwards */
    const char *out;  /* folder for the files, made already                                 */
} fetch_job;
typedef struct fetch_set {
    const char *name, *what; /* "coil20", one line of help                                  */
    mb_status (*run)(const fetch_job *job, mb_err *err);
} fetch_set;
extern const fetch_set fetch_coil20, fetch_beijing;

/* Text made like printf, in the arena; NULL and the error when memory is short. */
char *fetch_say(mb_arena *a, mb_err *err, const char *fmt, ...) MB_PRINTF(3, 4);
/* 1 when there is a file of that name. */
int fetch_exists(const char *path);

/* url into `file` by the program curl or, without it, wget. MB_E_IO in one line: no such program, no
 * answer, no such page. temp: folder for what the program says. */
mb_status fetch_url(mb_arena *a, const char *url, const char *temp, const char *file,
                    mb_err *err) MB_CHECKED;

/* MB_E_FORMAT when the bytes do not have this SHA-256 (64 hexadecimal digits). */
mb_status fetch_check(const char *path, const char *bytes, size_t n, const char *want,
                      mb_err *err) MB_CHECKED;
/* Writes n bytes to path, with a line on standard output that tells size and SHA-256. want: the hash
 * they must have (else MB_E_FORMAT and nothing is written), NULL: none is known. */
mb_status fetch_put(mb_arena *a, const char *path, const char *bytes, size_t n, const char *want,
                    mb_err *err) MB_CHECKED;
/* SHA-256 of n bytes as 64 hexadecimal digits [FIPS 180-4]. */
void fetch_sha256(const void *bytes, size_t n, char hex[65]);

/* Unpacks zlib data, or bare deflate data (raw = 1), of at most `limit` bytes. file: for messages.
 * MB_E_NOSUP without zlib. */
mb_status fetch_inflate(mb_arena *a, const char *file, const char *in, size_t n, int raw,
                        size_t limit, char **out, size_t *got, mb_err *err) MB_CHECKED;
/* Unpacks those files of a zip archive, and of archives in it, whose name begins with `prefix` and ends in
 * `suffix` (without their folders) into the folder `to`. *count of them. */
mb_status fetch_unzip(mb_arena *a, const char *file, const char *bytes, size_t n,
                      const char *prefix, const char *suffix, const char *to, int32_t *count,
                      mb_err *err) MB_CHECKED;

/* A numeric matrix of a MATLAB file (version 5), column-major as it is there. */
typedef struct fetch_matrix {
    int64_t rows, cols;
    double *x; /* cols x rows */
} fetch_matrix;
/* The first of these names (NULL-terminated) that the file holds. MB_E_FORMAT when it holds none. */
mb_status fetch_mat(mb_arena *a, const char *file, const char *bytes, size_t n,
                    const char *const *names, fetch_matrix *out, mb_err *err) MB_CHECKED;

#endif
