/* paper_list.c - the experiments there are: one line each. */
#include "rows/paper_rows.h"

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
_Static_assert(sizeof list / sizeof *list <= PAPER_MOST + 1, "raise PAPER_MOST");

const paper_row *const *paper_rows(void)
{
    return list;
}

int32_t paper_row_place(const paper_row *row)
{
    int32_t k = 0;

    while (list[k] != row)
        k++;
    return k;
}

const paper_row *paper_row_find(const char *name)
{
    for (const paper_row *const *r = list; *r; r++)
        if (!strcmp((*r)->name, name))
            return *r;
    return NULL;
}
