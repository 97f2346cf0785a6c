#include "format/heph/writer_place.h"

#include "format/heph/names.h"
#include "format/heph/writer_packet.h"
#include "format/writer_ids.h"

#include <inttypes.h>

/* True if the track has instants without a thread of their own (trace_instant_thread). */
static bool has_own_instants(const Trace *trace, const Track *track)
{
    const uint64_t first = track_first_instant(trace, track), end = first + track_instant_count(trace, track);
    for (uint64_t i = first; i < end; i++) {
        if (trace_instant_thread(trace, i) == TRACK_NONE.index) return true;
    }
    return false;
}

static bool needs_own(const Trace *trace, const Track *track)
{
    if (track->is_derived && track->kind != TRACK_SAMPLES) return false;
    return track_slice_count(trace, track) > 0 ||
           (track->kind != TRACK_ASYNC && has_own_instants(trace, track));
}

static void place_track(HephPlaces *places, WriterIds *ids, uint32_t index)
{
    const Track *track = &ids->trace->tracks[index];
    HephPlace   *place = &places->tracks[index];
    place->stream = (uint32_t)ids->pids[track->process.index];
    if (track->kind == TRACK_THREAD) {
        place->substream = writer_ids_thread(ids, index);
    } else if (needs_own(ids->trace, track)) {
        place->substream = writer_ids_new(ids);
        place->is_own = true;
    }
}

bool heph_places_make(HephPlaces *places, const Trace *trace, Arena *arena)
{
    WriterIds ids;
    places->tracks = ARENA_ARRAY(arena, HephPlace, (size_t)trace->track_count + 1);
    if (places->tracks == NULL || !writer_ids_open(&ids, trace, UINT32_MAX, UINT64_MAX, arena)) return false;
    places->streams = ids.pids;
    for (uint32_t p = 1; p <= trace->process_count; p++) {
        const Process *process = &trace->processes[p];
        writer_ids_enter(&ids, p);
        for (uint32_t i = 0; i < process->track_count; i++)
            place_track(places, &ids, process->first_track + i);
    }
    writer_ids_enter(&ids, PROCESS_NONE.index);
    for (uint32_t i = 1; i <= trace->track_count; i++) {
        if (trace->tracks[i].process.index == PROCESS_NONE.index) place_track(places, &ids, i);
    }
    places->replaced_count = ids.replaced_count;
    return true;
}

/* -- names -- */

static void put_name(HephPlaces *places, const HephName *name, Bytes *out)
{
    size_t packet;
    (void)heph_option_begin(
        out, name->is_substream ? STRING_LITERAL(HEPH_SUBSTREAM_NAME) : STRING_LITERAL(HEPH_STREAM_NAME),
        &packet);
    heph_put_u32(out, name->stream);
    if (name->is_substream) heph_put_u64(out, name->substream);
    places->cut_names += !heph_put_text(out, name->text);
    heph_packet_end(out, packet);
}

/* True if the name is the default title of the stream or substream. */
static bool says_the_id(const HephName *name)
{
    Bytes text = { 0 };
    if (name->is_substream)
        bytes_printf(&text, HEPH_SUBSTREAM_TITLE " %" PRIu64, name->substream);
    else
        bytes_printf(&text, HEPH_STREAM_TITLE " %" PRIu32, name->stream);
    bool same = string_equal(name->text, bytes_view(&text));
    bytes_release(&text);
    return same;
}

static void put_track_name(HephPlaces *places, const Trace *trace, uint32_t index, Bytes *out)
{
    const Track     *track = &trace->tracks[index];
    const HephPlace *place = &places->tracks[index];
    HephName         name = { true, place->stream, place->substream, trace_string(trace, track->name) };
    Bytes            title = { 0 };
    bool             is_thread = track->kind == TRACK_THREAD;
    if (!is_thread && !place->is_own) return;
    if (!is_thread || (name.text.size == 0 && !writer_id_fits(track_tid(track), UINT64_MAX))) {
        trace_track_title(trace, index, &title);
        if (track->kind == TRACK_ASYNC) bytes_append_text(&title, " (asynchronous)");
        name.text = bytes_view(&title);
    }
    if (name.text.size > 0 && !says_the_id(&name)) put_name(places, &name, out);
    if (title.failed) out->failed = true;
    bytes_release(&title);
}

void heph_put_names(HephPlaces *places, const Trace *trace, uint32_t process, Bytes *out)
{
    if (process == PROCESS_NONE.index) {
        for (uint32_t i = 1; i <= trace->track_count; i++) {
            if (trace->tracks[i].process.index == PROCESS_NONE.index) put_track_name(places, trace, i, out);
        }
        return;
    }
    const Process *p = &trace->processes[process];
    HephName       name = { false, (uint32_t)places->streams[process], 0, trace_string(trace, p->name) };
    Bytes          title = { 0 };
    if (name.text.size == 0 && !writer_id_fits(p->pid, UINT32_MAX)) {
        trace_process_title(trace, process, &title);
        name.text = bytes_view(&title);
    }
    if (name.text.size > 0 && !says_the_id(&name)) put_name(places, &name, out);
    if (title.failed) out->failed = true;
    bytes_release(&title);
    for (uint32_t i = 0; i < p->track_count; i++)
        put_track_name(places, trace, p->first_track + i, out);
}
