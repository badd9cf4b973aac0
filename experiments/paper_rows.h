/* paper_rows.h - the experiments. */
#ifndef MB__PAPER_ROWS_H
#define MB__PAPER_ROWS_H

#include "paper_common.h"

extern const paper_row paper_row_network, paper_row_dsvb_tau, paper_row_dsvb_evolution,
    paper_row_dsvb_values, paper_row_dsvb_contour, paper_row_admm_rho, paper_row_admm_evolution,
    paper_row_unequal, paper_row_sizes, paper_row_ionosphere, paper_row_atmosphere,
    paper_row_coil20;

#endif
