/* app/session/flame_json.h - the answer FLAME of docs/PROTOCOL.md. */
#ifndef APP_SESSION_FLAME_JSON_H
#define APP_SESSION_FLAME_JSON_H
#include "analysis/flame_rows.h"
#include "export/flame_out.h"
#include "trace/store/trace.h"

typedef struct FlameScreen {
    FlameOut            out;
    const uint64_t     *keys;  /* by node */
    const uint8_t      *marks; /* by node: FLAME_IS_... */
    uint32_t            front;
    uint32_t            first_row;
    FlameRows           rows;
    const FlameMatches *matches; /* NULL: without a search */
    const Trace        *trace;   /* it has the labels of the names; NULL = no labels (waits) */
    bool                has_cpu; /* some CPU times are known */
} FlameScreen;

/* Appends the object FLAME. False when out of memory. */
bool flame_json_put(const FlameScreen *screen, Bytes *body) WARN_UNUSED;

#endif
