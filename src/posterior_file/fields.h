/* posterior_file/fields.h - the fields of a kind in JSON, checked against its table. */
#ifndef MB_POSTERIOR_FIELDS_H
#define MB_POSTERIOR_FIELDS_H

#include "meshbayes/json.h"
#include "meshbayes/kind.h"

/* s->intercept from the field that is null without one; 1 when the kind has such a field. */
int mb_fields_optional_(mb_json_in *j, const mb_json *o, const mb_kind *kind, mb_sizes *s);
/* Refuses matrices of the wrong size, before memory for them is asked for. */
void mb_fields_check_(mb_json_in *j, const mb_json *o, const mb_kind *kind, const mb_sizes *s);
/* The parameters of p, whose model is known; outside the domain is refused, and so are derived
 * fields that do not follow from the others. */
mb_status mb_fields_read_(mb_arena *a, mb_json_in *j, const mb_json *o, const mb_posterior *p,
                          const double **par) MB_CHECKED;

#endif
