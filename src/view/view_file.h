/* view/view_file.h - names in view files (docs/view-files.md), for the writer and the reader. */
#ifndef VIEW_VIEW_FILE_H
#define VIEW_VIEW_FILE_H
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

static const char *const FLOW_MODE_NAMES[FLOW_MODES] = {
    [FLOWS_FEW] = "few", [FLOWS_ALL] = "all", [FLOWS_SELECTED] = "none"
};

static const char *const SORT_NAMES[ROW_SORTS] = {
    [SORT_DEFAULT] = "default", [SORT_NAME] = "name", [SORT_FIRST] = "first", [SORT_BUSIEST] = "busiest"
};

static const char *const GROUPING_NAMES[ROW_GROUPINGS] = {
    [GROUPS_PROCESS] = "process", [GROUPS_NAME] = "name", [GROUPS_NONE] = "flat"
};

static const char STANDARD_PALETTE[] = "standard", SAFE_PALETTE[] = "safe";

static const struct HeightName {
    const char *name;
    unsigned    option;
} HEIGHT_NAMES[] = { { "normal", 0 }, { "compact", VIEW_COMPACT }, { "roomy", VIEW_ROOMY } };
enum { HEIGHTS = sizeof HEIGHT_NAMES / sizeof HEIGHT_NAMES[0] };

#endif
