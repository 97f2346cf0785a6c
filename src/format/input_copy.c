#include "format/input.h"

#include <string.h>

bool input_copy_bytes(Input *input, const Bytes *given, TraceMapping *out, Err *err)
{
    size_t room = 1 << 20, size = given->size, got = 1;
    while (room < size)
        room *= 2;
    uint8_t *pages = memory_map(room);
    if (pages == NULL) return err_set(err, ERR_MEMORY, "out of memory for the file");
    memcpy(pages, given->data, size);
    while (got > 0) {
        if (size == room) {
            uint8_t *more = room > SIZE_MAX / 2 ? NULL : memory_remap(pages, room, 2 * room);
            if (more == NULL) {
                memory_unmap(pages, room);
                return err_set(err, ERR_MEMORY, "out of memory for the file");
            }
            pages = more;
            room *= 2;
        }
        if (!input_fill(input, pages + size, room - size, &got, err)) {
            memory_unmap(pages, room);
            return false;
        }
        size += got;
    }
    *out = (TraceMapping){ pages, size, room, memory_unmap };
    return true;
}
