/* sim_start.c - the start: files of responsibilities or centres, or drawn by the network. */
#include "sim/sim_model.h"

#include <math.h>
#include <string.h>

static const char *after(const char *text, const char *prefix)
{
    size_t len = strlen(prefix);

    return strncmp(text, prefix, len) == 0 ? text + len : NULL;
}

/* n x K, rows in the file's order of the data; each row a distribution. */
static mb_status read_responsibilities(sim *s, const char *file, mb_err *err)
{
    const int64_t n = s->data.n, K = s->opt.n_components;
    mb_matrix     m = {0};

    MB_TRY(mb_matrix_read(s->a, file, &m, err));
    if (m.n != n || m.d != K)
        MB_FAIL(err, MB_E_SHAPE,
                "%s: %lld x %d responsibilities, accepted: %lld rows x %lld "
                "components",
                file, (long long)m.n, m.d, (long long)n, (long long)K);
    for (int64_t r = 0; r < n; r++) {
        double sum = 0;

        for (int64_t k = 0; k < K; k++) {
            if (!(m.x[r * K + k] >= 0))
                MB_FAIL(err, MB_E_FORMAT,
                        "%s: row %lld: responsibility %lld is %g, accepted: 0 "
                        "to 1",
                        file, (long long)r + 1, (long long)k + 1, m.x[r * K + k]);
            sum += m.x[r * K + k];
        }
        if (!(fabs(sum - 1) <= 1e-6))
            MB_FAIL(err, MB_E_FORMAT, "%s: row %lld: responsibilities sum to %.9g, accepted: 1",
                    file, (long long)r + 1, sum);
    }
    MB_NEW(s->file_start, s->a, (size_t)(n * K), err);
    for (int64_t r = 0; r < n; r++)
        memcpy(s->file_start + r * K, m.x + (s->data.file_row ? s->data.file_row[r] : r) * K,
               (size_t)K * sizeof(double));
    return MB_OK;
}

/* K x D, the features' names in any order (CSV) or the features' order (NPY). */
static mb_status read_centres(sim *s, const char *file, mb_err *err)
{
    const int32_t D = s->data.d, K = (int32_t)s->opt.n_components;
    mb_matrix     m = {0};

    MB_TRY(mb_matrix_read(s->a, file, &m, err));
    if (m.n != K || m.d != D)
        MB_FAIL(err, MB_E_SHAPE, "%s: %lld x %d centres, accepted: %d components x %d features",
                file, (long long)m.n, m.d, K, D);
    MB_NEW(s->file_start, s->a, (size_t)K * (size_t)D, err);
    for (int32_t d = 0; d < D; d++) {
        int32_t from = d;

        if (m.name) {
            for (from = 0; from < D && strcmp(m.name[from], s->data.name[d]) != 0;)
                from++;
            if (from == D)
                MB_FAIL(err, MB_E_FORMAT,
                        "%s: column \"%s\" is missing, accepted: the features' "
                        "names",
                        file, s->data.name[d]);
        }
        for (int32_t k = 0; k < K; k++)
            s->file_start[(int64_t)k * D + d] = m.x[(int64_t)k * D + from];
    }
    return MB_OK;
}

static mb_status check_start(sim *s, mb_err *err)
{
    const char *init = s->opt.init;
    const char *resp = after(init, "responsibilities:");
    const char *centres = after(init, "centres:");

    if (s->opt.n_components > s->data.n)
        MB_FAIL(err, MB_E_ARG, "--n-components: %lld components for %lld rows, accepted: 1 to %lld",
                (long long)s->opt.n_components, (long long)s->data.n, (long long)s->data.n);
    if (s->opt.n_init > 1 && (resp || centres)) {
        sim_warn(s, "--n-init %lld makes no difference: the start comes from a file",
                 (long long)s->opt.n_init);
        s->opt.n_init = 1;
    }
    if (resp)
        return read_responsibilities(s, resp, err);
    if (centres)
        return read_centres(s, centres, err);
    if (strcmp(init, "kmeans") != 0 && strcmp(init, "farthest") != 0 && strcmp(init, "random") != 0)
        MB_FAIL(err, MB_E_ARG,
                "--init: \"%s\" is not known, accepted: kmeans, farthest, random, "
                "responsibilities:FILE or centres:FILE",
                init);
    if (!strcmp(init, "random"))
        sim_warn(s, "--init random: every node starts by itself, so components mean different "
                    "things at different nodes; expect a poor result");
    return MB_OK;
}

mb_status sim_start_check(sim *s, mb_err *err)
{
    return sim_model_of(s)->latent ? check_start(s, err) : MB_OK;
}

/* K centres in s->centres: from the file, or drawn by the network for this attempt. */
static mb_status find_centres(sim *s, int32_t attempt, double *centres, mb_err *err)
{
    const int32_t K = (int32_t)s->opt.n_components;
    const mb_draw how = !strcmp(s->opt.init, "farthest") ? MB_FARTHEST : MB_KMEANS;
    mb_traffic    sent = {0};
    int32_t       repeated = 0;
    mb_arena     *draft = mb_arena_new(1 << 16);
    mb_status     st;

    if (!draft)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for the start");
    st = mb_draw_centres(draft, &s->mesh.tp, s->rows_data, s->origin, s->scale, how, K,
                         (uint64_t)s->opt.seed, attempt, centres, &repeated, &sent, err);
    mb_arena_free(draft);
    mb_npy_rest(&s->mapped);
    MB_TRY(st);
    if (attempt < s->attempts_drawn)
        return MB_OK;
    s->attempts_drawn = attempt + 1;
    s->start_sent.frames += sent.frames;
    s->start_sent.bytes += sent.bytes;
    if (repeated && attempt == 0)
        sim_warn(s, "fewer than %d distinct rows: some components start equal and stay equal", K);
    return MB_OK;
}

mb_status sim_start(sim *s, int32_t attempt, mb_err *err)
{
    const int32_t K = (int32_t)s->opt.n_components;

    if (s->file_start || !strcmp(s->opt.init, "random") || s->drawn == attempt + 1)
        return MB_OK;
    if (!s->centres)
        MB_NEW(s->centres, s->a, (size_t)K * (size_t)s->data.d, err);
    MB_TRY(find_centres(s, attempt, s->centres, err));
    s->drawn = attempt + 1;
    return MB_OK;
}

/* From a file, of the nearest centre, or random; at every node from its own rows. */
void sim_start_node(const sim *s, int32_t attempt, int32_t node, double *resp)
{
    const int32_t K = (int32_t)s->opt.n_components;
    const int64_t from = s->data.first[node], n = s->data.first[node + 1] - from;
    const mb_rows rows = {
        .x = s->data.x + from * s->data.d, .n = n, .d = s->data.d, .ld = (size_t)s->data.d};

    if (after(s->opt.init, "responsibilities:"))
        memcpy(resp, s->file_start + from * K, (size_t)(n * K) * sizeof *resp);
    else if (!strcmp(s->opt.init, "random"))
        mb_random_resp(n, K, (uint64_t)s->opt.seed, attempt, node, resp);
    else
        mb_nearest_resp(&rows, s->origin, s->scale, K, s->file_start ? s->file_start : s->centres,
                        resp);
}
