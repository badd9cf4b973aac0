/* genesis_model.c - the model of a genesis, and what the kind must accept of a block that was read. */
#include "base/columns.h"
#include "fit/fit.h"
#include "mesh/genesis.h"
#include "model/kind.h"
#include "model/prior.h"

#include <math.h>
#include <string.h>

mb_status mb_genesis_model(mb_arena *a, const mb_genesis *g, mb_model *out, mb_err *err)
{
    double *prior;

    MB_TRY(mb_kind_model(a, g->kind, &g->size, out, err));
    if (out->layout.len != g->len)
        MB_FAIL(err, MB_E_SHAPE, "genesis: got a prior of %zu numbers; expected %zu", g->len,
                out->layout.len);
    MB_NEW(prior, a, g->len, err);
    memcpy(prior, g->prior, g->len * sizeof *prior);
    return mb_prior_natural_(a, prior, out, err);
}

/* What of the units has a density is the kind's to say. */
static mb_status find_jacobian(mb_arena *a, mb_genesis *g, mb_err *err)
{
    const mb_kind *kind = g->kind;
    mb_units       run;

    MB_TRY(mb_units_run_(a, kind, &g->size, &g->run, 0, &run, err));
    g->run.log_jacobian = run.log_jacobian;
    return MB_OK;
}

mb_status mb_genesis_check_(mb_arena *a, mb_genesis *g, mb_model *model, mb_err *err)
{
    const double least = 1e-100, most = 1e300;
    const int    one_scale = mb_kind_one_scale(g->kind, &g->size);
    mb_err       own = {.msg = ""};
    mb_status    st;

    for (int32_t d = 0; d < g->columns; d++) {
        if (!(g->run.scale[d] >= least && g->run.scale[d] <= most))
            MB_FAIL(err, MB_E_FORMAT,
                    "genesis block: scale of \"%.60s\": got %g; expected %g to %g", g->column[d],
                    g->run.scale[d], least, most);
        if (one_scale && memcmp(&g->run.scale[d], &g->run.scale[0], sizeof least) != 0)
            MB_FAIL(err, MB_E_FORMAT,
                    "genesis block: scale of \"%.60s\": got %g; expected %g, that of the first "
                    "column",
                    g->column[d], g->run.scale[d], g->run.scale[0]);
        if (d < g->size.D && mb_columns_kind(g->size.columns, d) != MB_COLUMN_NUMBER &&
            (fabs(g->run.origin[d]) > 0 || fabs(g->run.scale[d] - 1) > 0))
            MB_FAIL(err, MB_E_FORMAT, "genesis block: units of \"%.60s\": got some; expected none",
                    g->column[d]);
    }
    MB_TRY(find_jacobian(a, g, err));
    st = mb_genesis_model(a, g, model, &own);
    if (st == MB_E_NOMEM)
        MB_FAIL(err, MB_E_NOMEM, "%s", own.msg);
    if (st < 0)
        MB_FAIL(err, MB_E_FORMAT, "genesis block: prior: %.400s", own.msg);
    return MB_OK;
}
