/* paper_list.c - the experiments there are: one line each. */
#include "paper_rows.h"

#include <string.h>

static const paper_row *const list[] = {
    /* section V-A */
    &paper_row_network, &paper_row_dsvb_tau, &paper_row_dsvb_evolution, &paper_row_dsvb_values,
    &paper_row_dsvb_contour,
    /* section V-B */
    &paper_row_admm_rho, &paper_row_admm_evolution,
    /* section V-C */
    &paper_row_unequal, &paper_row_sizes,
    /* section V-D */
    &paper_row_atmosphere, &paper_row_ionosphere, &paper_row_coil20,
    /* the end */
    NULL};

const paper_row *const *paper_rows(void)
{
    return list;
}

const paper_row *paper_row_find(const char *name)
{
    for (const paper_row *const *r = list; *r; r++)
        if (!strcmp((*r)->name, name))
            return *r;
    return NULL;
}
