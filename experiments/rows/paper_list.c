/* paper_list.c - the experiments there are: one line each. */
#include "rows/paper_rows.h"

const paper_row *const paper_rows[] = {
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
