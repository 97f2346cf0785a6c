/* view/view_file.h - names in view files (docs/view-files.md), for the writer and the reader. */
#ifndef VIEW_VIEW_FILE_H
#define VIEW_VIEW_FILE_H
#include "view/option_names.h"
#include "view/trace_view.h"
#include "view/view_state.h"

enum { VIEW_FILE_VERSION = 1, FLAG_LISTS = 10 };

/* A list of rows for each value of some of their flags. */
static const struct FlagList {
    const char *name;
    RowFlags    mask, value;
} FLAG_LIST[FLAG_LISTS] = { { "pinned", TRACK_PINNED, TRACK_PINNED },
                            { "hidden", TRACK_HIDDEN, TRACK_HIDDEN },
                            { "isolated", TRACK_ISOLATED, TRACK_ISOLATED },
                            { "collapsed", TRACK_CLOSED, TRACK_CLOSED },
                            { "compact", TRACK_HEIGHT, TRACK_COMPACT },
                            { "normal", TRACK_HEIGHT, TRACK_NORMAL },
                            { "roomy", TRACK_HEIGHT, TRACK_ROOMY },
                            { "limited", TRACK_LIMITED, TRACK_LIMITED },
                            { "same_scale", TRACK_SAME_SCALE, TRACK_SAME_SCALE },
                            { "collapsed_groups", TRACK_GROUP_CLOSED, TRACK_GROUP_CLOSED } };

/* The name of the perspective that shows everything. */
static const char ALL_PERSPECTIVES[] = "all";

/* The axes of captures: the second is that of equal widths of calls. */
static const char AXIS_OF_EVENTS[] = "events", AXIS_OF_CALLS[] = "calls";

#endif
