/* export.c - attributes that all estimators of scikit-learn have. */
#include "model/export.h"

#include <assert.h>

void mb_attribute_array_(mb_attributes_ *t, const char *name, const mb_array *x)
{
    assert(t->n < MB_ATTRIBUTES_MAX_);
    t->list[t->n] = *x;
    t->list[t->n++].name = name;
}

mb_status mb_attribute_number_(mb_attributes_ *t, const char *name, mb_item item, double x,
                               mb_err *err)
{
    double *at;

    MB_NEW(at, t->a, 1, err);
    *at = x;
    mb_attribute_array_(t, name, &(mb_array){.x = at, .item = item});
    return MB_OK;
}

mb_status mb_attributes_of_(mb_arena *a, int32_t n, const char *const *name, const mb_run_info *run,
                            mb_attributes_ *out, mb_err *err)
{
    *out = (mb_attributes_){.a = a};
    MB_NEW(out->list, a, MB_ATTRIBUTES_MAX_, err);
    MB_TRY(mb_attribute_number_(out, "n_features_in_", MB_ITEM_INTEGER, n, err));
    mb_attribute_array_(out, "feature_names_in_",
                        &(mb_array){.ndim = 1, .shape = {n}, .item = MB_ITEM_TEXT, .text = name});
    if (run->rounds < 0)
        return MB_OK;
    return mb_attribute_number_(out, "n_iter_", MB_ITEM_INTEGER, (double)run->rounds, err);
}

mb_status mb_attributes_begin_(mb_arena *a, const mb_posterior *p, const mb_run_info *run,
                               mb_attributes_ *out, mb_err *err)
{
    return mb_attributes_of_(a, p->size.D, p->column, run, out, err);
}
