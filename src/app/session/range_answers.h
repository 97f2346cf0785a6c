/* app/session/range_answers.h - the answers that a `.varve` file with tiles has (format/varve/tiles.h); native only. */
#ifndef APP_SESSION_RANGE_ANSWERS_H
#define APP_SESSION_RANGE_ANSWERS_H
#include "app/session/session.h"
#include "format/varve/writer.h"

typedef struct RangeAnswers {
    Session   *session; /* owned; owns the loaded trace */
    Arena      arena;
    VarveTiles tiles; /* for VarveFileOptions */
} RangeAnswers;

/* Makes the answers about a loaded trace, under the name of the file that is to be written, and takes the ownership of the trace,
 * also on failure: `loaded` may be read until range_answers_release. False: err filled. */
bool range_answers_create(const Loaded *loaded, const char *name, RangeAnswers *answers,
                          Err *err) WARN_UNUSED;
/* Releases the answers and the trace. */
void range_answers_release(RangeAnswers *answers);

#endif
