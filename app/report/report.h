/* report.h - the page a person looks at: report.html in the output folder of `meshbayes sim`. */
#ifndef MB_REPORT_H
#define MB_REPORT_H

#include "meshbayes/meshbayes.h"

/* Reads the files of `dir`, draws the figures with gnuplot and writes dir/report.html and
 * dir/figures/NAME.svg, each whole or not at all. Without gnuplot the page has notes in place of
 * figures and a warning goes to stderr. A malformed file is MB_E_FORMAT naming file and line. */
mb_status report_build(const char *dir, mb_err *err) MB_CHECKED;

#endif
