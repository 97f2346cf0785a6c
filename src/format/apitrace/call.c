#include "format/apitrace/call.h"

#include "format/apitrace/call_flags.h"

/* Grows `args` to `count`. New items are absent arguments. */
static bool reserve_args(CallParts *parts, uint32_t count)
{
    size_t wanted = (size_t)count * sizeof(ByteCursor);
    if (count > parts->arg_count) {
        size_t size = (size_t)parts->arg_count * sizeof(ByteCursor);
        parts->memory.size = size;
        void *room = bytes_reserve(&parts->memory, wanted - size);
        if (room == NULL) return false;
        memset(room, 0, wanted - size);
        bytes_grow(&parts->memory, wanted - size);
        parts->arg_count = count;
    }
    parts->args = (ByteCursor *)(void *)parts->memory.data;
    return true;
}

static bool take_argument(Grammar *g, ByteCursor *c, CallParts *parts)
{
    uint64_t index = api_uint(g, c);
    if (index >= API_ARGS_MOST) return api_fault(g, c, "an argument's number is larger than any can be");
    if (index >= parts->arg_count && !reserve_args(parts, (uint32_t)index + 1)) {
        g->out_of_memory = true;
        return false;
    }
    parts->args[index] = *c;
    return true;
}

static bool take_details(Grammar *g, StreamBytes bytes, CallParts *parts)
{
    ByteCursor c = cursor_over(bytes.bytes, bytes.size, bytes.offset);
    while (!api_failed(g, &c)) {
        switch (cursor_u8(&c)) {
        case DETAIL_END:
            return !api_failed(g, &c);
        case DETAIL_ARGUMENT:
            if (!take_argument(g, &c, parts)) return false;
            api_skip_value(g, &c, 0);
            break;
        case DETAIL_RETURN:
            parts->result = c;
            api_skip_value(g, &c, 0);
            break;
        case DETAIL_BACKTRACE:
            parts->backtrace = c;
            api_skip_backtrace(g, &c);
            break;
        case DETAIL_THREAD:
        case DETAIL_FLAGS:
            (void)api_uint(g, &c);
            break;
        default:
            return api_fault(g, &c, "a call has a detail of an unknown kind");
        }
    }
    return false;
}

bool call_parts_of(Grammar *g, const CallEvents *call, CallParts *parts)
{
    parts->arg_count = 0;
    parts->result.bytes = parts->backtrace.bytes = NULL;
    parts->memory.size = 0;
    if (!reserve_args(parts, call->function->arg_count)) return false;
    if (call->enter.bytes != NULL && !take_details(g, call->enter, parts)) return false;
    return call->leave.bytes == NULL || take_details(g, call->leave, parts);
}

static bool is_zero(Grammar *g, ByteCursor c)
{
    uint8_t tag = cursor_u8(&c);
    if (tag == VALUE_UINT || tag == VALUE_SINT) return api_uint(g, &c) == 0;
    const EnumSig *sig = tag == VALUE_ENUM ? (const EnumSig *)api_signature(g, &c, SPACE_ENUM) : NULL;
    return sig != NULL && api_enum_value(g, &c, sig) == 0;
}

uint32_t call_flags(Grammar *g, const CallEvents *call, const CallParts *parts)
{
    uint32_t flags = call->function->flags | (call->fake ? (uint32_t)CALL_FAKE : 0);
    bool no_error = call->function->is_get_error && parts->result.bytes != NULL && is_zero(g, parts->result);
    return flags | (no_error ? (uint32_t)CALL_VERBOSE : 0);
}
