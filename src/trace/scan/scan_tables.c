/* The tracks and processes of a scan. */
#include "trace/scan/scan_table.h"

#include <assert.h>

/* Returns a process or thread id as a number; INT64_MIN if it is a text. */
static int64_t ident_number(Ident ident)
{
    return ident.kind == IDENT_INT ? (int64_t)ident.bits : INT64_MIN;
}

static uint32_t ident_string(Ident ident)
{
    return ident.kind == IDENT_TEXT ? (uint32_t)ident.bits : 0;
}

static void put_track(const Trace *trace, const Track *track, unsigned column, ScanOut out, uint32_t i)
{
    switch (column) {
    case SCAN_TRACK_KIND:
        out.u8[i] = (uint8_t)track->kind;
        break;
    case SCAN_TRACK_TID:
        out.i64[i] = ident_number(track_tid(track));
        break;
    case SCAN_TRACK_TID_TEXT:
        out.u32[i] = ident_string(track_tid(track));
        break;
    case SCAN_TRACK_SLICES:
        out.u64[i] = track_slice_count(trace, track);
        break;
    case SCAN_TRACK_INSTANTS:
        out.u64[i] = track_instant_count(trace, track);
        break;
    case SCAN_TRACK_VALUES:
        out.u64[i] = track_extras(track)->sample_count;
        break;
    default:
        assert(false);
    }
}

void scan_fill_tracks(const ScanScope *scope, unsigned column, const ScanPart *part, ScanOut out)
{
    for (uint32_t i = 0; i < part->count; i++)
        put_track(scope->trace, &scope->trace->tracks[part_item(part, i)], column, out, i);
}

static void put_process(const Process *process, uint32_t id, unsigned column, ScanOut out, uint32_t i)
{
    switch (column) {
    case SCAN_PROCESS_ID:
        out.u32[i] = id;
        break;
    case SCAN_PROCESS_PID:
        out.i64[i] = ident_number(process->pid);
        break;
    case SCAN_PROCESS_PID_TEXT:
        out.u32[i] = ident_string(process->pid);
        break;
    case SCAN_PROCESS_NAME:
        out.u32[i] = process->name.index;
        break;
    case SCAN_PROCESS_LABELS:
        out.u32[i] = process->labels.index;
        break;
    case SCAN_PROCESS_TRACKS:
        out.u32[i] = process->track_count;
        break;
    default:
        assert(false);
    }
}

void scan_fill_processes(const ScanScope *scope, unsigned column, const ScanPart *part, ScanOut out)
{
    for (uint32_t i = 0; i < part->count; i++) {
        const uint32_t id = (uint32_t)part_item(part, i);
        put_process(&scope->trace->processes[id], id, column, out, i);
    }
}
