#include "format/go/v2/alloc_free.h"

#include "format/go/common/quote.h"
#include "format/go/v2/spec.h"

#include <inttypes.h>

typedef enum { BATCH_TYPES = 0, BATCH_INFO = 1 } BatchKind;

typedef struct ObjectType {
    uint64_t   id, address, size, pointer_bytes;
    StringView name;
} ObjectType;

/* -- reading -- */

static bool next_type(ByteCursor *c, ObjectType *type)
{
    if (cursor_left(c) == 0) return false;
    type->id = cursor_varint(c, ULEB_REFUSE_EXCESS);
    type->address = cursor_varint(c, ULEB_REFUSE_EXCESS);
    type->size = cursor_varint(c, ULEB_REFUSE_EXCESS);
    type->pointer_bytes = cursor_varint(c, ULEB_REFUSE_EXCESS);
    uint64_t       length = cursor_varint(c, ULEB_REFUSE_EXCESS);
    const uint8_t *name = length > cursor_left(c) ? NULL : cursor_take(c, (size_t)length);
    type->name = (StringView){ (const char *)name, (size_t)length };
    return !c->failed && name != NULL;
}

static GoHeapLayout read_layout(ByteCursor *c)
{
    GoHeapLayout layout = { .is_known = true };
    layout.address = cursor_varint(c, ULEB_REFUSE_EXCESS);
    layout.page_bytes = cursor_varint(c, ULEB_REFUSE_EXCESS);
    layout.object_bytes = cursor_varint(c, ULEB_REFUSE_EXCESS);
    layout.stack_bytes = cursor_varint(c, ULEB_REFUSE_EXCESS);
    layout.is_known = !c->failed;
    return layout;
}

bool alloc_free_read(GoGeneration *generation, ByteCursor *c)
{
    ObjectType type;
    uint8_t    kind = cursor_u8(c);
    if (kind == BATCH_INFO && !generation->heap.is_known) generation->heap = read_layout(c);
    for (uint64_t at = cursor_offset(c); kind == BATCH_TYPES && next_type(c, &type); at = cursor_offset(c)) {
        if (at >= UINT32_MAX || id_map_find(&generation->type_map, type.id) != 0) continue;
        if (!id_map_put(&generation->type_map, type.id, (uint32_t)at)) return false;
    }
    return true;
}

/* -- decoding of ids -- */

/* Finds an object type. Its offset is never 0, because the batch begins with a byte for its kind. */
static bool find_type(const GoGeneration *generation, uint64_t id, ObjectType *type)
{
    uint32_t at = id_map_find(&generation->type_map, id);
    if (at == 0) return false;
    const size_t end = generation->again.read != NULL ? generation->kept.size : (size_t)generation->size;
    ByteCursor   c = cursor_over(generation->tables.bytes + at, end - at, at);
    return next_type(&c, type);
}

static void append_span(const GoGeneration *generation, const GoEvent *event, Bytes *out)
{
    enum { NOT_OF_OBJECTS = 1 };
    const GoHeapLayout *heap = &generation->heap;
    bytes_printf(out, " Address=0x%" PRIx64, heap->address + event->args[0] * heap->page_bytes);
    if (event->type == V2_SPAN_FREE) return;
    bytes_printf(out, " Size=%" PRIu64, event->args[1] * heap->page_bytes);
    if ((event->args[2] & NOT_OF_OBJECTS) == 0) bytes_printf(out, " Class=%" PRIu64, event->args[2] >> 1);
}

static void append_object(const GoGeneration *generation, const GoEvent *event, Bytes *out)
{
    ObjectType          type;
    const GoHeapLayout *heap = &generation->heap;
    bytes_printf(out, " Address=0x%" PRIx64, heap->address + event->args[0] * heap->object_bytes);
    if (event->type == V2_HEAP_OBJECT_FREE || !find_type(generation, event->args[1], &type)) return;
    bytes_append_text(out, " Type=");
    go_quoted_append(type.name, out);
}

static void append_stack(const GoGeneration *generation, const GoEvent *event, Bytes *out)
{
    enum { MOST_ORDER = 64 };
    const GoHeapLayout *heap = &generation->heap;
    uint64_t            order = event->args[1]; /* log2 of the size, plus 1 */
    bytes_printf(out, " Address=0x%" PRIx64, heap->address + event->args[0] * heap->stack_bytes);
    if (event->type != V2_GOROUTINE_STACK_FREE && order >= 1 && order <= MOST_ORDER)
        bytes_printf(out, " Size=%" PRIu64, UINT64_C(1) << (order - 1));
}

void alloc_free_append_meaning(const GoGeneration *generation, const GoEvent *event, Bytes *out)
{
    if (!generation->heap.is_known) return;
    if (event->type >= V2_SPAN && event->type <= V2_SPAN_FREE) {
        append_span(generation, event, out);
    } else if (event->type >= V2_HEAP_OBJECT && event->type <= V2_HEAP_OBJECT_FREE) {
        append_object(generation, event, out);
    } else if (event->type >= V2_GOROUTINE_STACK && event->type <= V2_GOROUTINE_STACK_FREE) {
        append_stack(generation, event, out);
    }
}

/* -- batches -- */

static void append_head(const GoBatch *batch, Bytes *out)
{
    bytes_printf(out, "M=%" PRId64 " P=-1 G=-1 ExperimentalBatch Experiment=", batch->m);
    if (batch->experiment == GO_EXPERIMENT_ALLOC_FREE) {
        bytes_append_text(out, "AllocFree");
    } else {
        bytes_printf(out, "%u", batch->experiment);
    }
}

static void append_types(const GoBatch *batch, ByteCursor *c, Bytes *out)
{
    ObjectType type;
    while (next_type(c, &type)) {
        append_head(batch, out);
        bytes_printf(
            out, " Type ID=%" PRIu64 " Address=0x%" PRIx64 " Size=%" PRIu64 " PointerBytes=%" PRIu64 " Name=",
            type.id, type.address, type.size, type.pointer_bytes);
        go_quoted_append(type.name, out);
        bytes_append_text(out, "\n");
    }
}

static void append_layout(const GoBatch *batch, ByteCursor *c, Bytes *out)
{
    GoHeapLayout heap = read_layout(c);
    if (!heap.is_known) return;
    append_head(batch, out);
    bytes_printf(out,
                 " Info MinAddress=0x%" PRIx64 " PageSize=%" PRIu64 " MinObjectSize=%" PRIu64
                 " MinStackSize=%" PRIu64 "\n",
                 heap.address, heap.page_bytes, heap.object_bytes, heap.stack_bytes);
}

void alloc_free_append_batches(const GoGeneration *generation, Bytes *out)
{
    for (uint32_t i = 0; i < generation->batch_count; i++) {
        const GoBatch *batch = &generation->batches[i];
        if (batch->experiment == 0) continue;
        ByteCursor c = cursor_over(generation->tables.bytes + batch->table_at, batch->size, batch->table_at);
        bool       is_known = batch->experiment == GO_EXPERIMENT_ALLOC_FREE && batch->size > 0;
        uint8_t    kind = is_known ? cursor_u8(&c) : UINT8_MAX;
        if (kind == BATCH_TYPES) {
            append_types(batch, &c, out);
        } else if (kind == BATCH_INFO) {
            append_layout(batch, &c, out);
        } else {
            append_head(batch, out);
            bytes_printf(out, " Size=%" PRIu32 "\n", batch->size);
        }
    }
}
