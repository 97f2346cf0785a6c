/* The functions for pictures in a library that was built without Cairo. */
#include "api/api.h"

static bool refuse(VarveError *error)
{
    Err err = API_ERR;
    (void)err_set(&err, ERR_UNKNOWN, "this build has no pictures (-Dminimal=true)");
    return api_fail(&err, error);
}

bool varve_render(const VarveTrace *const *traces, uint32_t trace_count, const VarvePicture *picture,
                  VarveBytes *out, VarveError *error)
{
    (void)traces, (void)trace_count, (void)picture, (void)out;
    return refuse(error);
}

bool varve_render_file(const VarveTrace *const *traces, uint32_t trace_count, const VarvePicture *picture,
                       const char *path, VarveError *error)
{
    (void)traces, (void)trace_count, (void)picture, (void)path;
    return refuse(error);
}
