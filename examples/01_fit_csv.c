/* 01_fit_csv.c - a Gaussian mixture of the rows of a CSV file, in one place and over a network. */
#include <meshbayes/meshbayes.h>

#include <stdio.h>
#include <stdlib.h>

/* One line for each component: its weight, and the mean and spread of each column, data units. */
static mb_status print(mb_arena *a, const char *title, const mb_fit *fit, mb_err *err)
{
    mb_summary s;

    MB_TRY(mb_posterior_summary(a, &fit->posterior, &s, err));
    printf("%s: %s\n", title, mb_verdict_text(fit->out.verdict));
    for (int32_t k = 0; k < s.rows; k++) {
        printf(" weight %.5g", s.weight[k]);
        for (int32_t d = 0, at = k * s.columns; d < s.columns; d++, at++)
            printf(", %s %.5g +- %.3g", s.name[d], s.mean[at], s.sd[at]);
        putchar('\n');
    }
    return MB_OK;
}

static mb_status compare(mb_arena *a, char **arg, mb_fit fit[2], mb_err *err)
{
    mb_fit_opt  opt = mb_fit_defaults();
    mb_gmm_kind gmm = {0};
    mb_data     data;
    mb_network  net;
    mb_compared far;

    MB_TRY(mb_data_read(a, arg[1], &(mb_data_opt){0}, &data, err));
    mb_table table = mb_table_of(&data, arg[1]);
    MB_TRY(mb_opt_defaults(mb_kind_options(&mb_kind_gmm), &gmm, err));
    gmm.n_components = atoi(arg[2]);
    opt.kind_opt = &gmm;
    MB_TRY(mb_network_draw(a, arg[3], 0, NULL, &net, err));
    MB_TRY(mb_fit_run(a, &net, &table, &opt, &fit[0], err));
    MB_TRY(print(a, "all rows in one place", &fit[0], err));
    opt.how.algo = &mb_algo_edge;
    MB_TRY(mb_fit_run(a, &net, &table, &opt, &fit[1], err));
    MB_TRY(print(a, arg[3], &fit[1], err));
    MB_TRY(mb_posterior_compare(a, &fit[0].posterior, &fit[1].posterior, &far, err));
    printf("the same posterior within 1e-8: %s\n", far.largest < 1e-8 ? "yes" : "no");
    return MB_OK;
}

int main(int argc, char **argv)
{
    mb_arena *a = mb_arena_new(1 << 20);
    mb_err    err = {.msg = "usage: 01_fit_csv FILE.csv COMPONENTS NETWORK"};
    mb_fit    fit[2] = {{0}};
    mb_status st = a && argc == 4 ? compare(a, argv, fit, &err) : MB_E_ARG;

    if (st < 0)
        fprintf(stderr, "%s\n", err.msg);
    mb_fit_close(&fit[1]);
    mb_fit_close(&fit[0]);
    mb_arena_free(a);
    return st < 0;
}
