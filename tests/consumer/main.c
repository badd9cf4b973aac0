/* main.c - what a user of the installed library writes: a tiny mixture, fitted on one machine.
 * Valid as C11 and as C++: built as both. Prints the version and the two means. */
#include <meshbayes/meshbayes.h>

#include <stdio.h>
#include <string.h>

#define ROWS  6
#define STEPS 50

static mb_status fit(mb_arena *a, mb_err *err)
{
    static const double x[ROWS] = {-1.1, -1.0, -0.9, 3.9, 4.0, 4.1};
    static const double first_guess[2 * ROWS] = {1, 0, 1, 0, 1, 0, 0, 1, 0, 1, 0, 1};
    const mb_gmm_opt    opt = mb_gmm_defaults(2, 1);
    mb_rows             rows;
    mb_model            model;
    double             *phi, *next, *par, *scratch;

    memset(&rows, 0, sizeof rows); /* versions to come may have further fields */
    rows.x = x;
    rows.n = ROWS;
    rows.d = 1;
    rows.ld = 1;
    MB_TRY(mb_gmm_new(a, &opt, &model, err));
    phi = (double *)mb_alloc(a, model.layout.len, sizeof *phi);
    next = (double *)mb_alloc(a, model.layout.len, sizeof *next);
    par = (double *)mb_alloc(a, model.layout.len, sizeof *par);
    scratch = (double *)mb_alloc(a, mb_local_scratch(&model), sizeof *scratch);
    if (!phi || !next || !par || !scratch)
        MB_FAIL(err, MB_E_NOMEM, "out of memory");
    MB_TRY(mb_seed_step(&model, &rows, 1, first_guess, phi, scratch, err));
    for (int t = 0; t < STEPS; t++) {
        double *spare = phi;

        MB_TRY(mb_local_step(&model, &rows, 1, phi, next, NULL, NULL, scratch, err));
        phi = next;
        next = spare;
    }
    MB_TRY(mb_to_par(&model.layout, phi, par, scratch, err));
    /* block 1: normal-Wishart, each [nu, beta, m, W^-1] */
    for (int k = 0; k < 2; k++)
        printf("mean %d: %.3f\n", k + 1,
               par[model.layout.block[1].off + (size_t)k * model.layout.block[1].len + 2]);
    return MB_OK;
}

int main(void)
{
    mb_arena *a = mb_arena_new(1 << 16);
    mb_err    err;
    mb_status st = a ? fit(a, &err) : MB_E_NOMEM;

    printf("meshbayes %s: %s\n", MB_VERSION, mb_status_text(st));
    mb_arena_free(a);
    return st < 0;
}
