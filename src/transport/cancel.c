/* cancel.c - whether the caller asks to stop, in one process or several. */
#include "base/cancel.h"
#include "transport/share.h"
#include "transport/transport.h"

int mb_is_cancelled_(const mb_transport *tp)
{
    return MB_CANCEL_(tp->cancel != NULL) && tp->cancel->wanted(tp->cancel->self);
}

mb_status mb_cancel_here_(const mb_transport *tp, mb_err *err)
{
    if (mb_is_cancelled_(tp))
        MB_FAIL(err, MB_E_STOPPED, "stopped, as the caller asked");
    return MB_OK;
}

mb_status mb_cancel_agree_(mb_transport *tp, const mb_share *share, mb_err *err)
{
    double    any;
    mb_status st = MB_OK;

    if (!MB_CANCEL_(tp->cancel != NULL))
        return MB_OK;
    any = mb_is_cancelled_(tp);
    MB_TRY(tp->ops->reduce(tp, MB_MAX, &any, 1, err));
    if (any > 0)
        st = mb_fail_(err, MB_E_STOPPED, __FILE__, __LINE__, "stopped, as the caller asked");
    return MB_SHARE_(share != NULL) ? mb_comm_agree(share->comm, st, err) : st;
}
