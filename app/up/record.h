/* record.h - the flight recorder of `meshbayes up --record DIR`: a record (virtual/record.h) of
 * every node. */
#ifndef MB_UP_RECORD_H
#define MB_UP_RECORD_H

#include "up/up.h"

/* Adds the recorder of --record to the network. */
mb_status record_begin(up *u, mb_err *err) MB_CHECKED;
/* Writes what is left; st as in mb_file_close. */
mb_status record_end(up *u, mb_status st, mb_err *err) MB_CHECKED;

#endif
