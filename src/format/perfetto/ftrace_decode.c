#include "format/perfetto/ftrace_decode.h"

#include "base/search.h"
#include "format/line_text.h"
#include "format/perfetto/fields.h"
#include "format/perfetto/ftrace_names_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { NAME_COUNT = sizeof FTRACE_NAMES / sizeof FTRACE_NAMES[0] };

/* Returns the names of an event and its fields, or NULL. */
static const FtraceNames *names_of(uint32_t number)
{
    size_t at = 0;
    LOWER_BOUND(size_t, at, NAME_COUNT, i, FTRACE_NAMES[i].number < number);
    return at < NAME_COUNT && FTRACE_NAMES[at].number == number ? &FTRACE_NAMES[at] : NULL;
}

/* Returns the last value of a field. */
static WireField find_field(StringView message, uint32_t number)
{
    ByteCursor c = wire_message(message);
    WireField  field, found = { .bytes = { "", 0 } };
    while (wire_next(&c, &field))
        if (field.number == number) found = field;
    return found;
}

/* -- facts -- */

static StringView event_name(const BundledEvent *event, FtraceTexts *texts)
{
    const FtraceNames *names = names_of(event->kind);
    if (names != NULL) return c_string_view(names->event);
    if (event->kind == FTRACE_GENERIC) {
        const StringView name = find_field(event->data, GENERIC_NAME).bytes;
        if (name.size > 0) return name;
    }
    const int size = snprintf(texts->name, sizeof texts->name, "event %" PRIu32, event->kind);
    return (StringView){ texts->name, (size_t)size };
}

static void decode_switch(const FtraceMachine *machine, const BundledEvent *event, FtraceTexts *texts,
                          FtraceSwitch *change)
{
    ByteCursor c = wire_message(event->data);
    WireField  field;
    int64_t    state = 0;
    *change = (FtraceSwitch){ .previous_tid = -1, .next_name = { "", 0 } };
    if (event->is_compact) {
        state = event->detail;
        *change = (FtraceSwitch){ event->previous.tid, event->task.tid, { "", 0 }, event->task.name };
    } else {
        change->previous_tid = 0;
    }
    while (wire_next(&c, &field)) {
        if (field.number == SWITCH_PREVIOUS_TID) change->previous_tid = (int32_t)field.value;
        if (field.number == SWITCH_STATE) state = (int64_t)field.value;
        if (field.number == SWITCH_NAME) change->next_name = field.bytes;
        if (field.number == SWITCH_TID) change->next_tid = (int32_t)field.value;
    }
    change->previous_state = ftrace_state_text(state, machine->has_old_states, texts->state);
}

static StringView without_line_feed(StringView text)
{
    if (text.size > 0 && text.bytes[text.size - 1] == '\n') text.size--;
    return line_trim(text);
}

static void decode_cpu_value(const BundledEvent *event, FtraceEvent *out)
{
    const WireField state = find_field(event->data, CPU_VALUE_STATE);
    out->of_cpu.cpu = (uint32_t)find_field(event->data, CPU_VALUE_CPU).value;
    out->of_cpu.value = (uint32_t)state.value;
    out->of_cpu.is_frequency = event->kind == FTRACE_CPU_FREQUENCY;
    out->of_cpu.is_number = true;
    out->kind = FTRACE_CPU_VALUE;
}

static void decode_call(const FtraceMachine *machine, const BundledEvent *event, FtraceTexts *texts,
                        FtraceEvent *out)
{
    enum { PREFIX = 4 }; /* of the events that have the names of calls: "sys_" */
    const uint64_t number = find_field(event->data, SYS_CALL).value;
    const char    *name = syscall_name(machine->calls, number);
    size_t         size = PREFIX;
    memcpy(texts->name, "sys_", PREFIX);
    if (name == NULL) {
        size += (size_t)snprintf(texts->name + PREFIX, sizeof texts->name - PREFIX, "%" PRIu64, number);
    } else {
        const size_t length = strlen(name);
        size += length < sizeof texts->name - PREFIX ? length : sizeof texts->name - PREFIX;
        memcpy(texts->name + PREFIX, name, size - PREFIX);
    }
    out->line.event = (StringView){ texts->name, size };
    out->call = line_part(out->line.event, PREFIX, size);
    out->kind = event->kind == FTRACE_SYS_ENTER ? FTRACE_CALL_BEGIN : FTRACE_CALL_END;
}

void ftrace_decode(const FtraceMachine *machine, const BundledEvent *event, uint32_t cpu, FtraceTexts *texts,
                   FtraceEvent *out)
{
    *out = (FtraceEvent){ .kind = FTRACE_OTHER };
    out->line = (FtraceLine){ .task = { "", 0 },
                              .tid = event->tid,
                              .tgid = -1,
                              .cpu = cpu,
                              .in_interrupt = (event->flags & (FTRACE_FLAG_HARD | FTRACE_FLAG_SOFT)) != 0,
                              .text = { "", 0 } };
    if (event->kind == FTRACE_SYS_ENTER || event->kind == FTRACE_SYS_EXIT) {
        decode_call(machine, event, texts, out);
        return;
    }
    out->line.event = event_name(event, texts);
    switch (event->kind) {
    case FTRACE_SCHED_SWITCH:
        out->kind = FTRACE_SWITCH;
        decode_switch(machine, event, texts, &out->change);
        if (out->change.next_tid < 0) out->kind = FTRACE_OTHER;
        break;
    case FTRACE_SCHED_WAKEUP:
    case FTRACE_SCHED_WAKING:
    case FTRACE_SCHED_WAKEUP_NEW:
        out->woken_tid =
            event->is_compact ? event->task.tid : (int32_t)find_field(event->data, WAKING_TID).value;
        if (out->woken_tid > 0) out->kind = FTRACE_WAKE;
        break;
    case FTRACE_CPU_FREQUENCY:
    case FTRACE_CPU_IDLE:
        decode_cpu_value(event, out);
        break;
    case FTRACE_PRINT:
        out->line.text = without_line_feed(find_field(event->data, PRINT_TEXT).bytes);
        if (ftrace_marker(&out->line, &out->marker)) out->kind = FTRACE_MARKER;
        break;
    default:
        break;
    }
}

/* -- texts -- */

static void put_value(Bytes *text, const WireField *field)
{
    if (field->type == WIRE_BYTES)
        bytes_append(text, field->bytes.bytes, field->bytes.size);
    else
        bytes_printf(text, "%" PRId64, (int64_t)field->value);
}

/* Writes "name=text name=5" of a GenericFtraceEvent. */
static void put_generic(Bytes *text, StringView message)
{
    ByteCursor c = wire_message(message);
    WireField  field, part;
    while (wire_next(&c, &field)) {
        if (field.number != GENERIC_FIELD || field.type != WIRE_BYTES) continue;
        const StringView name = find_field(field.bytes, GENERIC_FIELD_NAME).bytes;
        ByteCursor       parts = wire_message(field.bytes);
        if (text->size > 0) bytes_append_text(text, " ");
        bytes_append(text, name.bytes, name.size);
        bytes_append_text(text, "=");
        while (wire_next(&parts, &part))
            if (part.number >= GENERIC_TEXT && part.number <= GENERIC_UINT) put_value(text, &part);
    }
}

/* Writes "name=text name=5" of an event whose fields have names in the table. A field without a name has its number. */
static void put_fields(const FtraceMachine *machine, const BundledEvent *event, Bytes *text)
{
    const FtraceNames *names = names_of(event->kind);
    ByteCursor         c = wire_message(event->data);
    WireField          field;
    FtraceTexts        texts;
    while (wire_next(&c, &field)) {
        const bool is_switch = event->kind == FTRACE_SCHED_SWITCH;
        StringView rest = c_string_view(names == NULL ? "" : names->fields), name = { "-", 1 };
        for (uint32_t i = 0; i < field.number; i++) {
            name = STRING_LITERAL("-");
            if (!text_next_part(&rest, ' ', &name)) break;
        }
        if (text->size > 0) bytes_append_text(text, " ");
        if (is_switch && field.number == SWITCH_NAME) bytes_append_text(text, "==> ");
        if (name.size == 0 || string_equal(name, STRING_LITERAL("-")))
            bytes_printf(text, "field_%" PRIu32, field.number);
        else
            bytes_append(text, name.bytes, name.size);
        bytes_append_text(text, "=");
        if (is_switch && field.number == SWITCH_STATE) {
            const StringView state =
                ftrace_state_text((int64_t)field.value, machine->has_old_states, texts.state);
            bytes_append(text, state.bytes, state.size);
        } else {
            put_value(text, &field);
        }
    }
}

/* Writes the text of a compact event. The fields are those of sched_switch or sched_waking. */
static void put_compact(const FtraceMachine *machine, const BundledEvent *event, Bytes *text)
{
    const BundledTask *task = &event->task, *previous = &event->previous;
    FtraceTexts        texts;
    if (event->kind == FTRACE_SCHED_SWITCH) {
        const StringView state = ftrace_state_text(event->detail, machine->has_old_states, texts.state);
        if (previous->tid >= 0)
            bytes_printf(text, "prev_comm=%.*s prev_pid=%" PRId64 " prev_prio=%" PRId64 " ",
                         (int)(previous->name.size < 64 ? previous->name.size : 64), previous->name.bytes,
                         previous->tid, previous->priority);
        bytes_printf(text, "prev_state=%.*s ==> next_comm=", (int)state.size, state.bytes);
        bytes_append(text, task->name.bytes, task->name.size);
        bytes_printf(text, " next_pid=%" PRId64 " next_prio=%" PRId64, task->tid, task->priority);
        return;
    }
    bytes_append_text(text, "comm=");
    bytes_append(text, task->name.bytes, task->name.size);
    bytes_printf(text, " pid=%" PRId64 " prio=%" PRId64 " target_cpu=%" PRId64, task->tid, task->priority,
                 event->detail);
}

/* Writes "(arg0: 0x3, arg1: 0x7ffd)", or "-> 0x3". */
static void put_call(const BundledEvent *event, Bytes *text)
{
    WireRepeated values = wire_repeated(event->data, SYS_VALUES);
    uint64_t     value = 0;
    if (event->kind == FTRACE_SYS_EXIT) {
        (void)wire_next_repeated(&values, &value);
        bytes_printf(text, "-> 0x%" PRIx64, value);
        return;
    }
    bytes_append_text(text, "(");
    for (unsigned i = 0; wire_next_repeated(&values, &value); i++)
        bytes_printf(text, "%sarg%u: 0x%" PRIx64, i > 0 ? ", " : "", i, value);
    bytes_append_text(text, ")");
}

void ftrace_decode_line(const FtraceMachine *machine, const BundledEvent *event, uint32_t cpu,
                        FtraceTexts *texts, Bytes *text, FtraceLine *line)
{
    FtraceEvent decoded;
    bytes_clear(text);
    ftrace_decode(machine, event, cpu, texts, &decoded);
    *line = decoded.line;
    if (event->kind == FTRACE_SCHED_SWITCH) {
        line->task =
            event->is_compact ? event->previous.name : find_field(event->data, SWITCH_PREVIOUS_NAME).bytes;
        if (event->is_compact) line->tid = event->previous.tid;
    }
    if (event->kind == FTRACE_PRINT) return;
    if (event->is_compact)
        put_compact(machine, event, text);
    else if (event->kind == FTRACE_SYS_ENTER || event->kind == FTRACE_SYS_EXIT)
        put_call(event, text);
    else if (event->kind == FTRACE_GENERIC)
        put_generic(text, event->data);
    else
        put_fields(machine, event, text);
    if (!text->failed) line->text = bytes_view(text);
}
