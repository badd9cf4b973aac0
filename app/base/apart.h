/* apart.h - what a command reads is not what it writes. */
#ifndef MB_APART_H
#define MB_APART_H

#include "app.h"

/* MB_E_ARG when an MB_OPT_INPUT of the groups, or a word that names a file, is the same file as an
 * MB_OPT_OUTPUT or as standard output: by device and inode, so through links too. */
mb_status app_check_apart(const app_group *group, int ngroup, const char *const *words, int nwords,
                          mb_err *err) MB_CHECKED;
/* The same for one file of each kind; out may be a folder, or NULL for standard output alone.
 * in_option: "--data"; out_option: "out". */
mb_status app_apart(const char *out_option, const char *out, const char *in_option, const char *in,
                    mb_err *err) MB_CHECKED;

#endif
