#include "format/spall/native_record.h"

static const NativeLayout LAYOUTS[] = {
    { .version = "1", .frame_size = 8 },
    { .version = "2", .frame_size = 20, .first_ts = 8, .max_depth = 16, .is_packed = true },
    { .version = "3",
      .frame_size = 20,
      .first_ts = 8,
      .max_depth = 16,
      .is_packed = true,
      .has_base = true,
      .is_released = true },
};

const NativeLayout *native_layout_of_version(uint64_t version)
{
    return version >= 1 && version <= sizeof LAYOUTS / sizeof LAYOUTS[0] ? &LAYOUTS[version - 1] : NULL;
}

/* Returns an integer of 2^log2 bytes. 8 bytes must be readable. */
static inline uint64_t read_packed(const uint8_t *bytes, unsigned log2)
{
    return bits_load_u64(bytes) & UINT64_MAX >> (64 - (8u << log2));
}

static NativeOutcome decode_fixed(const uint8_t *bytes, size_t size, NativeState *state, NativeRecord *record)
{
    enum { BEGIN = 1, END = 2, BEGIN_SIZE = 24, END_SIZE = 8, TYPE_AT = 7 };
    const uint64_t time_mask = (UINT64_C(1) << 56) - 1;
    *record = (NativeRecord){ .kind = NATIVE_END, .size = END_SIZE };
    if (size < END_SIZE) return NATIVE_SHORT;
    if (bytes[TYPE_AT] == BEGIN) {
        *record = (NativeRecord){ .kind = NATIVE_BEGIN, .size = BEGIN_SIZE };
        if (size < BEGIN_SIZE) return NATIVE_SHORT;
        state->address = bits_load_u64(bytes + 8);
        state->caller = bits_load_u64(bytes + 16);
    } else if (bytes[TYPE_AT] != END) {
        return NATIVE_BAD;
    }
    state->time = bits_load_u64(bytes) & time_mask;
    return NATIVE_TAKEN;
}

static NativeOutcome decode_begin(const uint8_t *head, size_t size, NativeState *state, NativeRecord *record)
{
    unsigned tag = head[0], time = tag >> 4 & 3, address = tag >> 2 & 3, caller = tag & 3;
    unsigned address_at = 1 + (1u << time), caller_at = address_at + (1u << address);
    *record = (NativeRecord){ .kind = NATIVE_BEGIN, .size = caller_at + (1u << caller) };
    if (size < record->size) return NATIVE_SHORT;
    state->time += read_packed(head + 1, time);
    state->address ^= read_packed(head + address_at, address);
    state->caller ^= read_packed(head + caller_at, caller);
    return NATIVE_TAKEN;
}

static NativeOutcome decode_end(const uint8_t *head, size_t size, NativeState *state, NativeRecord *record)
{
    unsigned time = head[0] >> 4 & 3;
    if ((head[0] & 0x0F) != 0) return NATIVE_BAD;
    *record = (NativeRecord){ .kind = NATIVE_END, .size = 1 + (1u << time) };
    if (size < record->size) return NATIVE_SHORT;
    state->time += read_packed(head + 1, time);
    return NATIVE_TAKEN;
}

static NativeOutcome decode_named(const uint8_t *head, size_t size, NativeState *state, NativeRecord *record)
{
    enum { SUB_TYPE_BEGIN = 1 };
    unsigned tag = head[0], time = tag >> 2 & 3, name = tag >> 1 & 1, args = tag & 1;
    unsigned name_at = 1 + (1u << time), args_at = name_at + (1u << name), texts_at = args_at + (1u << args);
    if ((tag >> 4 & 3) != SUB_TYPE_BEGIN) return NATIVE_BAD;
    *record = (NativeRecord){ .kind = NATIVE_NAMED, .size = texts_at, .name_at = texts_at };
    if (size < texts_at) return NATIVE_SHORT;
    record->name_size = (uint32_t)read_packed(head + name_at, name);
    record->args_size = (uint32_t)read_packed(head + args_at, args);
    record->args_at = texts_at + record->name_size;
    record->size = record->args_at + (uint64_t)record->args_size;
    if (size < record->size) return NATIVE_SHORT;
    state->time += read_packed(head + 1, time);
    return NATIVE_TAKEN;
}

NativeOutcome native_decode(const NativeLayout *layout, const uint8_t *bytes, size_t size, NativeState *state,
                            NativeRecord *record)
{
    uint8_t        copy[NATIVE_MAX_FIXED + 8];
    const uint8_t *head = bytes;
    if (!layout->is_packed) return decode_fixed(bytes, size, state, record);
    if (UNLIKELY(size < sizeof copy)) { /* fields are read as 8 bytes: pads the end with zeros */
        memset(copy, 0, sizeof copy);
        memcpy(copy, bytes, size);
        head = copy;
    }
    switch (head[0] >> 6) {
    case 0:
        return decode_begin(head, size, state, record);
    case 1:
        return decode_end(head, size, state, record);
    case 2:
        return decode_named(head, size, state, record);
    }
    return NATIVE_BAD;
}
