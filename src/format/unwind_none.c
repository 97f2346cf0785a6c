/* format/unwind.h in the builds without libdw. */
#include "format/unwind.h"

#include <assert.h>

Unwinder *unwinder_create(void)
{
    return NULL;
}

void unwinder_destroy(Unwinder *unwinder)
{
    assert(unwinder == NULL);
    (void)unwinder;
}

size_t unwinder_run(Unwinder *unwinder, const UnwindState *state, UnwindFind find, void *context,
                    uint64_t addresses[UNWIND_MOST_FRAMES])
{
    (void)unwinder;
    (void)state;
    (void)find;
    (void)context;
    (void)addresses;
    return 0;
}
