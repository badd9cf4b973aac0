/* sim_model.h - what the program must know of a model: one file and one line in sim_model.c. */
#ifndef MB_SIM_MODEL_H
#define MB_SIM_MODEL_H

#include "sim/sim.h"

typedef struct sim_model {
    const char        *name;    /* of --model, and in posterior files                    */
    int                latent;  /* 1: rows have components, so a run needs a start       */
    const char *const *options; /* options of sim_options that are its own; NULL ends  */
    /* After the data are read: columns into the order of mb_rows. NULL: as they are. */
    mb_status (*columns)(sim *s, mb_err *err);
    /* After the common origin and scale: what the run computes in. NULL: as it is. */
    void (*units)(sim *s);
    /* The prior of the options into s->model (run units) and s->prior_par (data units). */
    mb_status (*prior)(sim *s, mb_err *err);
    /* The parameters for people, behind the table of `meshbayes fit`. */
    mb_status (*print)(const sim *s, const sim_result *r, mb_err *err);
} sim_model;

extern const sim_model sim_gmm, sim_linreg;
/* The model of --model. */
const sim_model *sim_model_of(const sim *s);
/* Columns that are inputs: all but a target. */
int32_t sim_inputs(const sim *s);
/* MB_E_ARG when an option that belongs to another model was given (it differs from its default). */
mb_status sim_model_check(const sim *s, mb_err *err) MB_CHECKED;

/* sim_size.c: MB_E_NOMEM when the matrices of the model alone do not fit into this machine. After the
 * rows have their nodes. */
mb_status sim_check_size(const sim *s, mb_err *err) MB_CHECKED;
/* MB_E_FORMAT when a column's spread is too small to be squared. After the common scale is known. */
mb_status sim_check_scales(const sim *s, mb_err *err) MB_CHECKED;

/* sim_ids.c: warns of features that look like the names of rows or nodes. */
mb_status sim_mention_ids(sim *s, mb_arena *draft, mb_err *err) MB_CHECKED;

/* sim_json.c: Options of a table that were given a value other than the default, but for those about output. */
void sim_options_given(json_t *to, const mb_opt *table, const void *obj);
/* Every option of a table as text. */
void sim_options_add(json_t *to, const mb_opt *table, const void *obj);

/* Of the options: one number, or n of them into x. Untouched when the option was not given. */
mb_status sim_prior_numbers(sim *s, const char *option, const char *text, int32_t n, int one_is_all,
                            double *x, mb_err *err) MB_CHECKED;

#endif
