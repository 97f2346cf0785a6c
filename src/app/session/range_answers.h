/* app/session/range_answers.h - the answers that a `.varve` file with tiles has (format/varve/tiles.h); native only. */
#ifndef APP_SESSION_RANGE_ANSWERS_H
#define APP_SESSION_RANGE_ANSWERS_H
#include "app/session/session.h"
#include "format/varve/writer.h"

typedef struct RangeAnswers {
    Arena      arena;
    VarveTiles tiles; /* for VarveFileOptions */
} RangeAnswers;

/* Makes the answers about a loaded trace of the session, for a file with these levels. The session outlives them. False: err
 * filled. */
bool range_answers_create(Session *session, uint32_t trace, VarveLevels levels, RangeAnswers *answers,
                          Err *err) WARN_UNUSED;
void range_answers_release(RangeAnswers *answers);

#endif
