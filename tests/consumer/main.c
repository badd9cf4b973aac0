/* main.c - what a user of the installed library writes: a tiny mixture, fitted on one machine.
 * Valid as C11 and as C++: built as both. Prints the version and the two means. */
#include <meshbayes/meshbayes.h>

#include <stdio.h>
#include <string.h>

#define ROWS 6

static mb_status fit_rows(mb_arena *a, mb_fit *fit, mb_err *err)
{
    static const double x[ROWS] = {-1.1, -1.0, -0.9, 3.9, 4.0, 4.1};
    mb_fit_opt          opt = mb_fit_defaults();
    mb_gmm_kind         gmm;
    mb_table            table;
    mb_summary          shown;

    memset(&gmm, 0, sizeof gmm); /* versions to come may have further fields */
    memset(&table, 0, sizeof table);
    table.rows.x = x;
    table.rows.n = ROWS;
    table.rows.d = 1;
    table.rows.ld = 1;
    MB_TRY(mb_opt_defaults(mb_kind_options(&mb_kind_gmm), &gmm, err));
    MB_TRY(mb_opt_assign(mb_kind_options(&mb_kind_gmm), &gmm, "prior=weak", err));
    gmm.n_components = 2;
    opt.kind_opt = &gmm;
    MB_TRY(mb_fit_run(a, NULL, &table, &opt, fit, err));
    MB_TRY(mb_posterior_summary(a, &fit->posterior, &shown, err));
    for (int k = 0; k < 2; k++)
        printf("mean %d: %.3f\n", k + 1, shown.mean[k]);
    return MB_OK;
}

int main(void)
{
    mb_arena *a = mb_arena_new(1 << 16);
    mb_err    err;
    mb_fit    fit;
    mb_status st;

    memset(&fit, 0, sizeof fit);
    st = a ? fit_rows(a, &fit, &err) : MB_E_NOMEM;
    printf("meshbayes %s: %s\n", MB_VERSION, mb_status_text(st));
    mb_fit_close(&fit);
    mb_arena_free(a);
    return st < 0;
}
