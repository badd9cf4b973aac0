/* fetch_coil20.c - COIL-20 in 32 x 32 pixels: 20 objects x 72 poses, the matrix `fea` of Deng Cai's
 * COIL20.mat [Nene96]. A pixel is rounded to 8 bits, so that the file is the same everywhere. */
#include "data/fetch.h"

#include <math.h>
#include <string.h>

enum { IMAGES = 1440, PIXELS = 1024, OBJECTS = 20, HEAD = 128 };

static const char URL[] = "http://www.cad.zju.edu.cn/home/dengcai/Data/COIL20/COIL20.mat";
static const char ROWS_HASH[] = "a97a4b9369716b18039b81a35b0def0f5253b942ef641ba2e52797763115a9b4";
static const char LABELS_HASH[] =
    "7cf990cf876b025597faaba8621ccf7c9f9f678a12d2be516b7372cd0fc30609";

/* The files as they are written. */
typedef struct coil {
    char  *rows, *labels;
    size_t nrows, nlabels;
} coil;

static mb_status shape(const char *file, const fetch_matrix *m, int64_t cols, mb_err *err)
{
    if (m->rows != IMAGES || m->cols != cols)
        MB_FAIL(err, MB_E_SHAPE, "%s: a matrix of %lld x %lld, accepted: %d x %lld", file,
                (long long)m->rows, (long long)m->cols, IMAGES, (long long)cols);
    return MB_OK;
}

/* NPY 1.0 of uint8: a head of 128 bytes, then the images row by row. fea lies in [0, 1]; files that
 * hold it as 0..255 are taken as well. */
static mb_status images(mb_arena *a, const char *file, const fetch_matrix *m, coil *out,
                        mb_err *err)
{
    double largest = 0;

    for (size_t k = 0; k < (size_t)IMAGES * PIXELS; k++) {
        largest = fmax(largest, m->x[k]);
        if (!(m->x[k] >= 0 && m->x[k] <= 255))
            MB_FAIL(err, MB_E_FORMAT, "%s: pixel %.9g, accepted: 0 to 1, or 0 to 255", file,
                    m->x[k]);
    }
    out->nrows = HEAD + (size_t)IMAGES * PIXELS;
    MB_NEW(out->rows, a, out->nrows, err);
    memset(out->rows, ' ', HEAD);
    memcpy(out->rows, "\x93NUMPY\1\0\x76\0", 10);
    memcpy(out->rows + 10, "{'descr': '|u1', 'fortran_order': False, 'shape': (1440, 1024), }", 65);
    out->rows[HEAD - 1] = '\n';
    for (size_t r = 0; r < IMAGES; r++)
        for (size_t c = 0; c < PIXELS; c++)
            out->rows[HEAD + r * PIXELS + c] =
                (char)(unsigned char)rint((largest > 1 ? 1 : 255) * m->x[c * IMAGES + r]);
    return MB_OK;
}

static mb_status labels(mb_arena *a, const char *file, const fetch_matrix *m, coil *out,
                        mb_err *err)
{
    const size_t room = 8 + 3 * IMAGES;

    MB_NEW(out->labels, a, room, err);
    out->nlabels = (size_t)snprintf(out->labels, room, "label\n");
    for (int r = 0; r < IMAGES; r++) {
        if (!(m->x[r] >= 1 && m->x[r] <= OBJECTS))
            MB_FAIL(err, MB_E_FORMAT, "%s: object %.9g of image %d, accepted: 1 to %d", file,
                    m->x[r], r + 1, OBJECTS);
        out->nlabels +=
            (size_t)snprintf(out->labels + out->nlabels, room - out->nlabels, "%d\n", (int)m->x[r]);
    }
    return MB_OK;
}

static mb_status from_mat(mb_arena *a, const char *file, coil *out, mb_err *err)
{
    static const char *const fea[] = {"fea", "X", NULL}, *const gnd[] = {"gnd", "Y", NULL};
    fetch_matrix x, y;
    char        *bytes;
    size_t       n;

    MB_TRY(mb_file_read(a, file, &bytes, &n, err));
    MB_TRY(fetch_mat(a, file, bytes, n, fea, &x, err));
    MB_TRY(fetch_mat(a, file, bytes, n, gnd, &y, err));
    MB_TRY(shape(file, &x, PIXELS, err));
    MB_TRY(shape(file, &y, 1, err));
    MB_TRY(images(a, file, &x, out, err));
    return labels(a, file, &y, out, err);
}

/* A local copy: the MATLAB file, or the two files as we write them, under our names or others. */
static mb_status from_folder(const fetch_job *job, coil *out, mb_err *err)
{
    static const char *const pair[][2] = {{"coil20.npy", "coil20_labels.csv"},
                                          {"coil20_u8.npy", "labels.csv"}};
    const char *mat = fetch_say(job->a, err, "%s/COIL20.mat", job->from), *rows, *names;

    if (!mat)
        return MB_E_NOMEM;
    if (fetch_exists(mat))
        return from_mat(job->a, mat, out, err);
    for (int k = 0; k < 2; k++) {
        rows = fetch_say(job->a, err, "%s/%s", job->from, pair[k][0]);
        names = fetch_say(job->a, err, "%s/%s", job->from, pair[k][1]);
        if (!rows || !names)
            return MB_E_NOMEM;
        if (!fetch_exists(rows) || !fetch_exists(names))
            continue;
        MB_TRY(mb_file_read(job->a, rows, &out->rows, &out->nrows, err));
        return mb_file_read(job->a, names, &out->labels, &out->nlabels, err);
    }
    MB_FAIL(err, MB_E_IO,
            "--from: %s holds neither COIL20.mat nor coil20.npy with coil20_labels.csv", job->from);
}

static mb_status run(const fetch_job *job, mb_err *err)
{
    const char *mat = fetch_say(job->a, err, "%s/COIL20.mat", job->temp);
    const char *rows = fetch_say(job->a, err, "%s/coil20.npy", job->out);
    const char *names = fetch_say(job->a, err, "%s/coil20_labels.csv", job->out);
    coil        c;

    if (!mat || !rows || !names)
        return MB_E_NOMEM;
    if (job->from) {
        MB_TRY(from_folder(job, &c, err));
    } else {
        MB_TRY(fetch_url(job->a, URL, job->temp, mat, err));
        MB_TRY(from_mat(job->a, mat, &c, err));
    }
    MB_TRY(fetch_check(rows, c.rows, c.nrows, ROWS_HASH, err)); /* both files or none */
    MB_TRY(fetch_put(job->a, names, c.labels, c.nlabels, LABELS_HASH, err));
    return fetch_put(job->a, rows, c.rows, c.nrows, ROWS_HASH, err);
}

const fetch_set fetch_coil20 = {
    "coil20", "1440 images of 20 objects, 32 x 32 pixels (about 9 MB to download)", run};
