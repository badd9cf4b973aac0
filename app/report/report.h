/* report.h - report.html in the output folder of `meshbayes sim`. */
#ifndef MB_REPORT_H
#define MB_REPORT_H

#include "meshbayes/meshbayes.h"

/* Reads the files of `dir`, makes the figures with gnuplot and writes dir/report.html and
 * dir/figures/NAME.svg, each whole or not at all. Without gnuplot the page has notes instead of
 * figures, and a warning is printed. MB_E_FORMAT names file and line of what is malformed. */
mb_status report_build(const char *dir, mb_err *err) MB_CHECKED;

#endif
