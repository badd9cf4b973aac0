/* 04_sites.c - five sites that each have a CSV file and fit one mixture together, without a network
 * file: every file is a node, and all sites exchange messages with each other. The result is compared
 * with the fit of all rows in one place. Usage: 04_sites COMPONENTS SITE.csv SITE.csv .. */
#include <meshbayes/meshbayes.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The rows of all files, one after the other, and the file of each. All have the columns of the first. */
static mb_status read_sites(mb_arena *a, int32_t sites, char **file, mb_table *out, mb_err *err)
{
    mb_data *site;
    int64_t *first;
    double  *x;

    MB_NEW(site, a, sites, err);
    MB_NEW(first, a, sites + 1, err);
    for (int32_t i = 0; i < sites; i++) {
        MB_TRY(mb_data_read(a, file[i], &(mb_data_opt){0}, &site[i], err));
        if (site[i].d != site[0].d)
            MB_FAIL(err, MB_E_SHAPE, "%s: got %d columns; expected %d as in %s", file[i], site[i].d,
                    site[0].d, file[0]);
        first[i + 1] = first[i] + site[i].n;
    }
    MB_NEW(x, a, first[sites] * site[0].d, err);
    for (int32_t i = 0; i < sites; i++)
        memcpy(x + first[i] * site[0].d, site[i].x, (size_t)(site[i].n * site[0].d) * sizeof *x);
    *out = (mb_table){
        .rows = {.x = x, .n = first[sites], .d = site[0].d, .ld = (size_t)site[0].d},
        .column = site[0].name,
        .name = "the sites' files",
        .N = sites,
        .id = (const char *const *)file,
        .first = first,
    };
    return MB_OK;
}

/* Every pair of sites is linked; a node has the name of its site's file. */
static mb_status link_sites(mb_arena *a, int32_t sites, char **file, mb_network *net, mb_err *err)
{
    const mb_network_opt names = {.id = (const char *const *)file, .nid = sites};
    char                 text[32];

    snprintf(text, sizeof text, "complete:n=%d", (int)sites);
    return mb_network_draw(a, text, 0, &names, net, err);
}

/* How far the posterior of one site is from the fit of all rows. */
static mb_status print_site(mb_arena *a, const mb_fit *fit, int32_t i, int64_t rows,
                            const mb_posterior *central, mb_err *err)
{
    mb_posterior own;
    mb_compared  far;

    MB_TRY(mb_fit_node(a, fit, i, &own, err));
    MB_TRY(mb_posterior_compare(a, central, &own, &far, err));
    printf("site %d, %d rows: within 1e-8 of the fit of all rows: %s\n", (int)i + 1, (int)rows,
           far.largest < 1e-8 ? "yes" : "no");
    return MB_OK;
}

static mb_status fit_sites(mb_arena *a, int32_t K, int32_t sites, char **file, mb_fit fit[2],
                           mb_err *err)
{
    mb_fit_opt  opt = mb_fit_defaults();
    mb_gmm_kind gmm = {0};
    mb_table    table;
    mb_network  net;
    mb_summary  shown;

    MB_TRY(read_sites(a, sites, file, &table, err));
    MB_TRY(link_sites(a, sites, file, &net, err));
    MB_TRY(mb_opt_defaults(mb_kind_options(&mb_kind_gmm), &gmm, err));
    gmm.n_components = K;
    opt.kind_opt = &gmm;
    MB_TRY(mb_fit_run(a, &net, &table, &opt, &fit[0], err));
    opt.how.algo = &mb_algo_edge;
    MB_TRY(mb_fit_run(a, &net, &table, &opt, &fit[1], err));
    MB_TRY(mb_posterior_summary(a, &fit[1].posterior, &shown, err));
    for (int32_t at = 0; at < shown.rows * shown.columns; at++)
        printf("%s %.5g +- %.3g%s", shown.name[at % shown.columns], shown.mean[at], shown.sd[at],
               (at + 1) % shown.columns ? ", " : "\n");
    for (int32_t i = 0; i < sites; i++)
        MB_TRY(
            print_site(a, &fit[1], i, table.first[i + 1] - table.first[i], &fit[0].posterior, err));
    return MB_OK;
}

int main(int argc, char **argv)
{
    mb_arena *a = mb_arena_new(1 << 20);
    mb_err    err = {.msg = "usage: 04_sites COMPONENTS SITE.csv SITE.csv .."};
    mb_fit    fit[2] = {{0}};
    mb_status st = MB_E_ARG;

    if (a && argc > 2)
        st = fit_sites(a, atoi(argv[1]), argc - 2, argv + 2, fit, &err);
    if (st < 0)
        fprintf(stderr, "%s\n", err.msg);
    mb_fit_close(&fit[1]);
    mb_fit_close(&fit[0]);
    mb_arena_free(a);
    return st < 0;
}
