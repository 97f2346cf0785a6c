#include "format/apitrace/grammar.h"

#include "format/apitrace/call_flags.h"
#include "format/apitrace/quick.h"
#include "format/unknown.h"

#include <assert.h>
#include <inttypes.h>

bool api_fault(Grammar *g, const ByteCursor *c, const char *what)
{
    if (g->fault != NULL) return false;
    g->fault = what;
    g->fault_offset = cursor_offset(c);
    return false;
}

uint64_t api_long_uint(Grammar *g, ByteCursor *c)
{
    enum { LOOKED_AT = 8, QUICK_MOST = 4, LONGEST = 10 };
    size_t left = cursor_left(c);
    if (LIKELY(left >= LOOKED_AT)) {
        const unsigned size = quick_number_size(c->bytes + c->at);
        if (LIKELY(size > 0 && size <= QUICK_MOST)) {
            c->at += size;
            return quick_number(c->bytes + c->at - size, size);
        }
    }
    uint64_t value = cursor_uleb(c);
    if (UNLIKELY(c->failed) && left >= LONGEST) (void)api_fault(g, c, "a number has more than 64 bits");
    return value;
}

/* Reads a size in bytes; 0 after a failure. */
static size_t take_size(Grammar *g, ByteCursor *c)
{
    uint64_t size = api_uint(g, c);
    if (LIKELY(size <= API_BYTES_MOST)) return (size_t)size;
    (void)api_fault(g, c, "a string or blob is larger than 1 GiB");
    return 0;
}

StringView api_string(Grammar *g, ByteCursor *c)
{
    size_t         size = take_size(g, c);
    const uint8_t *bytes = cursor_take(c, size);
    if (bytes == NULL) return (StringView){ "", 0 };
    return (StringView){ (const char *)bytes, size };
}

int64_t api_typed_sint(Grammar *g, ByteCursor *c)
{
    uint8_t tag = cursor_u8(c);
    if (tag != VALUE_SINT && tag != VALUE_UINT) {
        if (!c->failed) (void)api_fault(g, c, "a value of an enum is not an integer");
        return 0;
    }
    uint64_t number = api_uint(g, c);
    return (int64_t)(tag == VALUE_SINT ? 0 - number : number);
}

/* -- definitions -- */

typedef struct Definer {
    Grammar    *g;
    ByteCursor *c;
    Arena      *arena;
} Definer;

/* Allocates `count` items whose bytes are known to exist. NULL: failed. */
static void *define_items(const Definer *d, uint64_t count, size_t item_size)
{
    if (api_failed(d->g, d->c)) return NULL;
    void *items = arena_push(d->arena, (size_t)count, item_size);
    if (items == NULL) d->g->out_of_memory = true;
    return items;
}

static StringView define_string(const Definer *d)
{
    StringView text = api_string(d->g, d->c);
    if (api_failed(d->g, d->c)) return (StringView){ "", 0 };
    const char *copy = arena_push_copy(d->arena, text.bytes, text.size);
    if (copy == NULL) d->g->out_of_memory = true;
    return (StringView){ copy, copy == NULL ? 0 : text.size };
}

static StringView *define_names(const Definer *d, uint32_t *count)
{
    uint64_t    number = api_uint(d->g, d->c);
    StringView *names = (StringView *)define_items(d, number, sizeof *names);
    for (uint64_t i = 0; names != NULL && i < number; i++) {
        names[i] = define_string(d);
        if (api_failed(d->g, d->c)) return NULL;
    }
    *count = (uint32_t)number;
    return names;
}

static void *define_function(const Definer *d, uint32_t id)
{
    FunctionSig *sig = ARENA_NEW(d->arena, FunctionSig);
    if (sig == NULL) return NULL;
    sig->id = id;
    sig->name = define_string(d);
    sig->args = define_names(d, &sig->arg_count);
    if (api_failed(d->g, d->c)) return NULL;
    sig->flags = call_flags_of(sig->name);
    sig->family = call_family_of(sig->name, sig->flags);
    StringView text = text_before_nul(sig->name);
    sig->is_get_error = sig->arg_count == 0 && string_equal(text, STRING_LITERAL("glGetError"));
    return sig;
}

static void *define_struct(const Definer *d, uint32_t id)
{
    enum { GUID_MEMBERS = 4 };
    StructSig *sig = ARENA_NEW(d->arena, StructSig);
    if (sig == NULL) return NULL;
    sig->id = id;
    sig->name = define_string(d);
    sig->members = define_names(d, &sig->member_count);
    if (api_failed(d->g, d->c)) return NULL;
    sig->is_guid =
        sig->member_count == GUID_MEMBERS && string_equal(text_before_nul(sig->name), STRING_LITERAL("GUID"));
    return sig;
}

/* Defines an enum. Since version 3 it is a table of names and values, before that a single constant. */
static void *define_enum(const Definer *d, uint32_t id)
{
    EnumSig *sig = ARENA_NEW(d->arena, EnumSig);
    if (sig == NULL) return NULL;
    uint64_t count = d->g->version < 3 ? 1 : api_uint(d->g, d->c);
    sig->id = id;
    sig->entries = (EnumEntry *)define_items(d, count, sizeof *sig->entries);
    for (uint64_t i = 0; sig->entries != NULL && i < count && !api_failed(d->g, d->c); i++) {
        sig->entries[i].name = define_string(d);
        sig->entries[i].value = api_typed_sint(d->g, d->c);
    }
    if (api_failed(d->g, d->c)) return NULL;
    sig->count = (uint32_t)count;
    return enum_index(sig, d->arena) ? sig : NULL;
}

static void *define_bitmask(const Definer *d, uint32_t id)
{
    BitmaskSig *sig = ARENA_NEW(d->arena, BitmaskSig);
    if (sig == NULL) return NULL;
    uint64_t count = api_uint(d->g, d->c);
    sig->id = id;
    sig->entries = (BitmaskEntry *)define_items(d, count, sizeof *sig->entries);
    for (uint64_t i = 0; sig->entries != NULL && i < count && !api_failed(d->g, d->c); i++) {
        sig->entries[i].name = define_string(d);
        sig->entries[i].value = api_uint(d->g, d->c);
    }
    sig->count = (uint32_t)count;
    return sig;
}

enum { ITEM_END, ITEM_MODULE, ITEM_FUNCTION, ITEM_FILE, ITEM_LINE, ITEM_OFFSET };

static void *define_frame(const Definer *d, uint32_t id)
{
    FrameSig *sig = ARENA_NEW(d->arena, FrameSig);
    if (sig == NULL) return NULL;
    sig->id = id;
    for (;;) {
        uint8_t item = cursor_u8(d->c);
        if (api_failed(d->g, d->c) || item == ITEM_END) return sig;
        if (item == ITEM_MODULE) {
            sig->module = define_string(d);
        } else if (item == ITEM_FUNCTION) {
            sig->function = define_string(d);
        } else if (item == ITEM_FILE) {
            sig->file = define_string(d);
        } else if (item == ITEM_LINE) {
            sig->line = api_uint(d->g, d->c);
            sig->has_line = true;
        } else {
            sig->offset = api_uint(d->g, d->c);
            sig->has_offset = true;
        }
    }
}

static void skip_frame(Grammar *g, ByteCursor *c)
{
    for (uint8_t item; (item = cursor_u8(c)) != ITEM_END && !api_failed(g, c);) {
        if (item > ITEM_OFFSET) (void)api_fault(g, c, "a stack frame has an unknown part");
        if (item >= ITEM_LINE) {
            (void)api_uint(g, c);
        } else {
            (void)api_string(g, c);
        }
    }
}

/* Skips a definition. An incomplete one has no effect. */
static void skip_definition(Grammar *g, ByteCursor *c, SigSpace space)
{
    if (space == SPACE_FRAME) {
        skip_frame(g, c);
        return;
    }
    bool has_name = space == SPACE_FUNCTION || space == SPACE_STRUCT;
    if (has_name) (void)api_string(g, c);
    uint64_t count = space == SPACE_ENUM && g->version < 3 ? 1 : api_uint(g, c);
    for (uint64_t i = 0; i < count && !api_failed(g, c); i++) {
        (void)api_string(g, c);
        if (space == SPACE_ENUM) (void)api_typed_sint(g, c);
        if (space == SPACE_BITMASK) (void)api_uint(g, c);
    }
}

static const void *define(Grammar *g, ByteCursor *c, SigSpace space, uint64_t id)
{
    assert(space < SPACE_COUNT);
    static void *(*const DEFINE[SPACE_COUNT])(const Definer *, uint32_t) = {
        [SPACE_FUNCTION] = define_function, [SPACE_STRUCT] = define_struct, [SPACE_ENUM] = define_enum,
        [SPACE_BITMASK] = define_bitmask,   [SPACE_FRAME] = define_frame,
    };
    if (c->failed || g->fault != NULL) return NULL;
    if (g->rule == DEFINE_NONE || id >= SIG_MOST) {
        (void)api_fault(g, c, id >= SIG_MOST ? "an id is larger than any can be" : "an id was never defined");
        return NULL;
    }
    ByteCursor ahead = *c;
    skip_definition(g, &ahead, space);
    if (api_failed(g, &ahead)) {
        c->failed = ahead.failed;
        return NULL;
    }
    Definer  d = { g, c, g->sigs->arena };
    SigEntry entry = { .id_end = cursor_offset(c) };
    entry.sig = DEFINE[space](&d, (uint32_t)id);
    if (entry.sig == NULL && !c->failed && g->fault == NULL) g->out_of_memory = true;
    if (api_failed(g, c)) return NULL;
    entry.definition_size = cursor_offset(c) - entry.id_end;
    if (!signature_add(g->sigs, space, id, entry)) g->out_of_memory = true;
    return entry.sig;
}

/* Finds or defines a signature. Inlined, so that `space` is a constant: most bytes of a stream pass through here. */
static ALWAYS_INLINE const void *signature(Grammar *g, ByteCursor *c, SigSpace space)
{
    uint64_t        id = api_uint(g, c);
    const SigEntry *entry = signature_find(g->sigs, space, id);
    if (UNLIKELY(entry == NULL)) return define(g, c, space, id);
    if (UNLIKELY(entry->id_end == cursor_offset(c))) (void)cursor_take(c, (size_t)entry->definition_size);
    return c->failed ? NULL : entry->sig;
}

const void *api_signature(Grammar *g, ByteCursor *c, SigSpace space)
{
    return signature(g, c, space);
}

/* -- values -- */

static void skip_values(Grammar *g, ByteCursor *c, uint64_t count, unsigned depth)
{
    if (depth >= API_DEPTH_MOST) {
        (void)api_fault(g, c, "values are nested too deeply");
        return;
    }
    for (uint64_t i = 0; i < count && !c->failed && g->fault == NULL && !g->out_of_memory; i++)
        api_skip_value(g, c, depth + 1);
}

static void skip_wide_string(Grammar *g, ByteCursor *c)
{
    size_t units = take_size(g, c);
    for (size_t i = 0; i < units && !c->failed; i++)
        (void)api_uint(g, c);
}

static void skip_value(Grammar *g, ByteCursor *c, unsigned depth)
{
    uint8_t tag = cursor_u8(c);
    switch (tag) {
    case VALUE_NULL:
    case VALUE_FALSE:
    case VALUE_TRUE:
        return;
    case VALUE_SINT:
    case VALUE_UINT:
    case VALUE_OPAQUE:
        (void)api_uint(g, c);
        return;
    case VALUE_FLOAT:
        (void)cursor_take(c, 4);
        return;
    case VALUE_DOUBLE:
        (void)cursor_take(c, 8);
        return;
    case VALUE_STRING:
    case VALUE_BLOB:
        (void)cursor_take(c, take_size(g, c));
        return;
    case VALUE_ENUM: {
        const EnumSig *sig = (const EnumSig *)signature(g, c, SPACE_ENUM);
        if (sig != NULL) (void)api_enum_value(g, c, sig);
        return;
    }
    case VALUE_BITMASK:
        if (signature(g, c, SPACE_BITMASK) != NULL) (void)api_uint(g, c);
        return;
    case VALUE_ARRAY:
        skip_values(g, c, api_uint(g, c), depth);
        return;
    case VALUE_STRUCT: {
        const StructSig *sig = (const StructSig *)api_signature(g, c, SPACE_STRUCT);
        if (sig != NULL) skip_values(g, c, sig->member_count, depth);
        return;
    }
    case VALUE_REPR:
        skip_values(g, c, 2, depth);
        return;
    case VALUE_WSTRING:
        skip_wide_string(g, c);
        return;
    }
    (void)api_fault(g, c, "a value is of an unknown kind");
}

void api_skip_value(Grammar *g, ByteCursor *c, unsigned depth)
{
    const uint8_t *behind = LIKELY(!c->failed) ? quick_value(g, c, c->bytes + c->at) : NULL;
    if (LIKELY(behind != NULL)) {
        c->at = (size_t)(behind - c->bytes);
    } else {
        skip_value(g, c, depth);
    }
}

void api_skip_backtrace(Grammar *g, ByteCursor *c)
{
    uint64_t count = api_uint(g, c);
    for (uint64_t i = 0; i < count && !api_failed(g, c); i++)
        (void)api_signature(g, c, SPACE_FRAME);
}

/* -- events -- */

/* Reads all details of an event, up to and including the 00 at the end. */
static void walk_details(Grammar *g, ByteCursor *c, ApiEvent *event)
{
    while (LIKELY(!c->failed && g->fault == NULL && !g->out_of_memory)) {
        quick_details(g, c);
        uint8_t tag = cursor_u8(c);
        switch (tag) {
        case DETAIL_END:
            return;
        case DETAIL_ARGUMENT:
            if (UNLIKELY(api_uint(g, c) >= API_ARGS_MOST)) {
                (void)api_fault(g, c, "an argument's number is larger than any can be");
                return;
            }
            skip_value(g, c, 0);
            break;
        case DETAIL_RETURN:
            skip_value(g, c, 0);
            break;
        case DETAIL_THREAD:
            event->thread = (uint32_t)api_uint(g, c);
            break;
        case DETAIL_BACKTRACE:
            api_skip_backtrace(g, c);
            break;
        case DETAIL_FLAGS:
            if (api_uint(g, c) & CALL_FAKE) event->fake = true;
            break;
        default:
            (void)api_fault(g, c, "a call has a detail of an unknown kind");
            return;
        }
    }
}

bool api_event(Grammar *g, ByteCursor *c, ApiEvent *event)
{
    enum { THREADS_SINCE = 4, MESSAGES_UNTIL = 1 };
    *event = (ApiEvent){ .offset = cursor_offset(c) };
    uint8_t kind = cursor_u8(c);
    if (LIKELY(kind == EVENT_LEAVE)) {
        event->kind = EVENT_LEAVE;
        event->call = api_uint(g, c);
    } else if (kind == EVENT_ENTER) {
        event->kind = EVENT_ENTER;
        if (g->version >= THREADS_SINCE) event->thread = (uint32_t)api_uint(g, c);
        event->function = (const FunctionSig *)signature(g, c, SPACE_FUNCTION);
    } else if (kind == EVENT_MESSAGE && g->version <= MESSAGES_UNTIL) {
        event->kind = EVENT_MESSAGE;
        event->details = cursor_offset(c);
        (void)api_string(g, c);
        return !api_failed(g, c);
    } else if (!c->failed) {
        return api_fault(g, c, "an event is of an unknown kind");
    }
    event->details = cursor_offset(c);
    if (UNLIKELY(api_failed(g, c))) return false;
    walk_details(g, c, event);
    return !api_failed(g, c);
}

bool api_property(Grammar *g, ByteCursor *c, StringView *name, StringView *value)
{
    *name = api_string(g, c);
    if (name->size == 0) return false;
    *value = api_string(g, c);
    return !api_failed(g, c);
}

bool api_header(Grammar *g, ByteCursor *c, ApiHeader *header)
{
    enum { PROPERTIES_SINCE = 6 };
    StringView name, value;
    ByteCursor start = *c;
    uint64_t   version = api_uint(g, c), semantic = version;
    if (c->failed) return false;
    g->version = version;
    if (version > API_VERSION_MOST) return api_fault(g, &start, "the version is above 6");
    if (version >= PROPERTIES_SINCE) {
        semantic = api_uint(g, c);
        if (semantic > version) return api_fault(g, c, "the semantic version is above the version");
    }
    *header = (ApiHeader){ (uint32_t)version, (uint32_t)semantic, cursor_offset(c) };
    while (version >= PROPERTIES_SINCE && api_property(g, c, &name, &value)) {
    }
    return !api_failed(g, c);
}

bool api_header_refuse(const Grammar *g, const uint8_t *head, size_t size, Err *err)
{
    if (size > 0 && head[0] >= ' ' && head[0] <= '~' && api_probe(head, size) == 0) {
        char found[UNKNOWN_TEXT];
        describe_unknown(head, size, found);
        return err_set_at(err, ERR_UNKNOWN, 0, ERR_NOWHERE, "not an apitrace capture: it is %s", found);
    }
    if (g->version > API_VERSION_MOST) {
        return err_set_at(err, ERR_VERSION, g->fault_offset, ERR_NOWHERE,
                          "not an apitrace capture of version 0 to %d: its version number is %" PRIu64,
                          API_VERSION_MOST, g->version);
    }
    return err_set_at(err, ERR_UNKNOWN, g->fault_offset, ERR_NOWHERE,
                      "not the header of an apitrace capture: %s", g->fault);
}

/* -- probing -- */

static bool is_name(StringView text)
{
    for (size_t i = 0; i < text.size; i++) {
        char c = text.bytes[i];
        if (c < 0x20 || c > 0x7e) return false;
    }
    return text.size > 0;
}

static bool looks_like_properties(Grammar *g, ByteCursor *c)
{
    enum { NAME_MOST = 256 };
    StringView name;
    while ((name = api_string(g, c)).size > 0) {
        if (name.size > NAME_MOST || !is_name(name)) return false;
        (void)api_string(g, c);
    }
    return g->fault == NULL;
}

/* Reads the header and the available part of the first call's function. A version above the known ones is recognised if
 * the header and the first call are complete and valid in version 6, so that the reader can reject it by its number. No
 * other format has such a begin. */
int api_probe(const uint8_t *head, size_t size)
{
    enum { NAME_MOST = 512, ARGS_MOST = 256, SURE = 90, LIKELY_SO = 30 };
    Grammar    g = { .rule = DEFINE_NONE };
    ByteCursor c = cursor_over(head, size, 0);
    uint64_t   version = api_uint(&g, &c);
    if (c.failed) return 0;
    if (version >= API_VERSION_MOST) {
        if (api_uint(&g, &c) > version || c.failed || !looks_like_properties(&g, &c)) return 0;
        if (c.failed) return version == API_VERSION_MOST ? LIKELY_SO : 0;
    }
    if (cursor_left(&c) == 0) return version == API_VERSION_MOST ? SURE : 0;
    if (cursor_u8(&c) != EVENT_ENTER) return 0;
    if (version >= 4) (void)api_uint(&g, &c);
    uint64_t   id = api_uint(&g, &c);
    StringView name = api_string(&g, &c);
    if (g.fault != NULL || id >= SIG_MOST) return 0;
    if (c.failed) return version == API_VERSION_MOST ? LIKELY_SO : 0;
    if (name.size > NAME_MOST || !is_name(name)) return 0;
    return api_uint(&g, &c) <= ARGS_MOST ? SURE : 0;
}
