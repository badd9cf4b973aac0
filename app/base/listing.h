/* listing.h - the library's small tables as text. */
#ifndef MB_APP_LISTING_H
#define MB_APP_LISTING_H

#include "app.h"

/* On standard output; every line of the table begins with `lead`. */
void app_print_listing(const mb_listing *l, const char *lead);

#endif
