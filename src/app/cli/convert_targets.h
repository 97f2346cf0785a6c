/* app/cli/convert_targets.h - the formats that `varve convert` writes: the only list of them. */
#ifndef APP_CLI_CONVERT_TARGETS_H
#define APP_CLI_CONVERT_TARGETS_H
#include <varve/varve.h>

typedef struct ConvertTarget {
    enum {
        TARGET_TRACE,
        TARGET_TABLES,
        TARGET_HTML
    } of;               /* a whole trace, tables, or the viewer with the trace */
    const char *name;   /* as in --to= */
    const char *suffix; /* of a file, without the dot; NULL = none */
    const char *what;   /* in words */
} ConvertTarget;

/* Fills target `i`, in the order of the documentation. False: there are fewer. */
bool convert_target_at(uint32_t i, ConvertTarget *target);
/* True if the target has this name. */
bool convert_target_is(const ConvertTarget *target, const char *name);
/* Finds the target of the option --to or, if it is NULL, of the suffix of the path: the longest suffix wins. False: unknown
 * format or suffix. */
bool convert_target_find(const char *to, const char *path, ConvertTarget *target);

#endif
