/* Archives and compressed content: any bytes are opened as a user's file is, whatever is in them.
 *
 * Nothing may crash, unpack without bound, or give a trace that breaks its invariants. */
#include "fuzz.h"

#include "format/load.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { MEMORY_LIMIT = 1 << 26 };
    LoadOptions options = { .threads = 1 };
    Loaded      loaded;
    Err         err;
    memory_set_limit(MEMORY_LIMIT);
    if (!load_bytes(data, size, "fuzz", &options, &loaded, &err)) {
        expect(err.message[0] != '\0', "an error without a message");
        return 0;
    }
    if (!trace_check(loaded.trace, &err)) expect(false, err.message);
    for (size_t i = 0; i < loaded.part_count; i++)
        expect(loaded.parts[i].name != NULL, "a member without a name");
    loaded_release(&loaded);
    return 0;
}
