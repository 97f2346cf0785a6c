/* trace/wire/outline_layout.h - sizes of an outline's records, shared by outline.c (which describes them) and
 * outline_encode.c. */
#ifndef TRACE_WIRE_OUTLINE_LAYOUT_H
#define TRACE_WIRE_OUTLINE_LAYOUT_H
#include "trace/wire/outline.h"
#include "trace/wire/wire.h"

enum {
    OUTLINE_HEADER_BYTES = 160,
    OUTLINE_PROCESS_BYTES = 48,
    OUTLINE_TRACK_BYTES = 112,
    OUTLINE_ROW_BYTES = 44,
    LABEL_PAGE_HEADER_BYTES = 12,
    LABEL_BYTES = 20,
    OVERVIEW_HEADER_BYTES = 12,
    OVERVIEW_BUCKET_BYTES = 8,
    VISIBLE_HEADER_BYTES = 12,
    VISIBLE_TRACK_BYTES = 24
};

#define OUTLINE_MAGIC UINT32_C(0x374c4f56)    /* "VOL7" */
#define LABEL_PAGE_MAGIC UINT32_C(0x31424c56) /* "VLB1" */
#define OVERVIEW_MAGIC UINT32_C(0x32564f56)   /* "VOV2" */
#define VISIBLE_MAGIC UINT32_C(0x31495656)    /* "VVI1" */

#endif
