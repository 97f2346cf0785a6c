#include "format/heph/heph.h"

#include "format/heph/details.h"
#include "format/heph/facts.h"
#include "format/heph/find.h"
#include "format/heph/names.h"
#include "format/heph/options.h"
#include "format/input_text.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

static_assert(HEPH_METADATA_BYTES + sizeof "epoch" - 1 + sizeof(uint64_t) == HEPH_EPOCH_BYTES,
              "a metadata packet with the name 'epoch' and a u64");

/* A range of bytes without packets. */
typedef struct Gap {
    bool       is_open, has_cut;
    bool       has_large; /* it contains a packet that exceeds the limit of a live input */
    EventPos   begin;
    NoneReason reason; /* the reason why its begin is not a packet */
    PacketKind kind;   /* by the magic at its begin */
    uint32_t   size;   /* claimed at its begin */
    /* the first offset in it where a packet may begin that the end of the input truncates */
    uint64_t cut_offset;
    uint32_t cut_size; /* claimed size of that packet; 0 = truncated before its size field */
} Gap;

typedef struct HephReader {
    TraceBuilder *builder; /* borrowed */
    LabelCache   *labels;  /* keyed by the bytes of a description */
    PacketFinder  finder;
    uint64_t      offset;        /* of the bytes passed to `read` */
    uint64_t      packet;        /* index of the next packet */
    bool          out_of_memory; /* in the reader; the builder has its own flag */
    bool          is_early;      /* the builder's version is set to the early layout */
    Gap           gap;
    HephTimes     times;
    HephOptions   options;
    HephStreams   streams;
    HephFacts     facts;
} HephReader;

/* -- descriptions, interned once per spelling -- */

static LabelId find_label(HephReader *reader, StringView text, EventPos pos)
{
    const LabelId *known = label_cache_find(reader->labels, text.bytes, text.size, NULL, 0);
    if (LIKELY(known != NULL)) return *known;
    LabelId label = builder_label(
        reader->builder, input_text_intern(reader->builder, text, "description", pos, &reader->out_of_memory),
        STRING_NONE);
    if (!label_cache_is_full(reader->labels)) reader->facts.description_count++;
    if (!label_cache_put(reader->labels, text.bytes, text.size, NULL, 0, label)) reader->out_of_memory = true;
    return label;
}

/* -- events -- */

static void report_attributes(HephReader *reader, const AttributeWalk *walk, EventPos pos)
{
    if (walk->bad_strings > 0) {
        builder_warn(reader->builder, "invalid-utf8", pos,
                     "text in attributes is not UTF-8: shown with U+FFFD (%" PRIu32 " string%s)",
                     walk->bad_strings, walk->bad_strings == 1 ? "" : "s");
    }
    if (walk->state == ATTRIBUTE_GOOD) return;
    builder_set_incomplete(reader->builder);
    if (walk->state == ATTRIBUTE_BAD_TYPE) {
        builder_warn(reader->builder, "bad-attribute", pos,
                     "the attribute at byte %" PRIu64
                     " has type 0x%02x, which is unknown: it and the rest of its packet are not decoded",
                     walk->bad_offset, walk->bad_type);
        return;
    }
    builder_warn(reader->builder, "bad-attribute", pos,
                 "the %s of the attribute at byte %" PRIu64
                 " runs over the end of the packet: the rest of it is not decoded",
                 walk->state == ATTRIBUTE_SHORT_NAME ? "name"
                 : walk->state == ATTRIBUTE_NO_TYPE  ? "type"
                                                     : "value",
                 walk->bad_offset);
}

static void take_event(HephReader *reader, const FoundPacket *packet, const uint8_t *bytes, EventPos pos)
{
    const HephEvent   *event = &packet->event;
    HephFacts         *facts = &reader->facts;
    const CachedTrack *track = heph_track(&reader->streams, reader->builder, event->stream, event->substream);
    if (UNLIKELY(track == NULL)) return; /* out of memory; recorded in `streams` */
    facts->event_count++;
    if (packet->size > facts->largest_event) facts->largest_event = packet->size;
    for (unsigned i = 0; i < HEPH_TYPES; i++)
        facts->types[i] += packet->walk.types[i];
    if (UNLIKELY(packet->walk.bad_strings > 0 || packet->walk.state != ATTRIBUTE_GOOD))
        report_attributes(reader, &packet->walk, pos);
    Counted counted =
        heph_count_event(&reader->streams, track->stream, event->counter, bytes, packet->size, pos);
    if (counted == COUNTED_TWICE) return;
    unsigned flags = EVENT_DETAILS; /* every event has at least its counter */
    LabelId  label = find_label(reader, event->description, pos);
    int64_t  begin = heph_tick(&reader->times, event->start, pos, &flags), end = begin;
    if (LIKELY(event->end >= event->start)) {
        bool was_unsigned = reader->times.is_unsigned;
        end = heph_tick(&reader->times, event->end, pos, &flags);
        if (was_unsigned !=
            reader->times.is_unsigned) { /* the end changed the clock: converts the begin again */
            begin = heph_tick(&reader->times, event->start, pos, &flags);
        }
    } else {
        builder_warn(reader->builder, "negative-duration", pos,
                     "end %" PRIu64 " is before start %" PRIu64 ": shown with length 0", event->end,
                     event->start);
        flags |= EVENT_REPAIRED;
    }
    builder_complete(reader->builder, track->track, begin, end, label, pos, flags);
}

/* -- gaps -- */

static void describe_gap(const Gap *gap, char *out, size_t size)
{
    const char *kind = gap->kind == PACKET_EVENT ? "event" : "metadata";
    switch (gap->reason) {
    case NONE_WITHOUT_MAGIC:
        snprintf(out, size, "expected a packet's magic");
        return;
    case NONE_TOO_SMALL:
        snprintf(out, size, "%s packet of %" PRIu32 " bytes is too small", kind, gap->size);
        return;
    case NONE_TOO_LARGE:
        snprintf(out, size, "%s packet of %" PRIu32 " bytes is too large", kind, gap->size);
        return;
    case NONE_STRING_PAST_END:
        snprintf(out, size, "the %s of a packet runs over its end",
                 gap->kind == PACKET_EVENT ? "description" : "option's name");
        return;
    case NONE_BAD_ATTRIBUTES:
        snprintf(out, size, "event packet whose attributes cannot be decoded and that no packet follows");
        return;
    case NONE_CUT:
        snprintf(out, size, "%s packet of %" PRIu32 " bytes reaches past the end of the input", kind,
                 gap->size);
        return;
    }
}

static void skip(HephReader *reader, EventPos begin, uint64_t end)
{
    assert(end >= begin.offset);
    char why[128];
    describe_gap(&reader->gap, why, sizeof why);
    builder_warn(reader->builder, "skipped-bytes", begin, "%s: %" PRIu64 " bytes skipped", why,
                 end - begin.offset);
    builder_set_incomplete(reader->builder);
    heph_facts_skip(&reader->facts, begin.offset, end - begin.offset);
}

static void open_gap(HephReader *reader, const FoundPacket *packet, uint64_t offset)
{
    Gap *gap = &reader->gap;
    if (!gap->is_open) {
        *gap = (Gap){ .is_open = true,
                      .begin = { offset, reader->packet },
                      .reason = packet->reason,
                      .kind = packet->kind,
                      .size = packet->size };
    }
    if (packet->reason == NONE_TOO_LARGE && packet->size <= HEPH_MOST_BYTES) gap->has_large = true;
    if (packet->reason == NONE_CUT && !gap->has_cut) {
        gap->has_cut = true;
        gap->cut_offset = offset;
        gap->cut_size = packet->size;
    }
}

/* Ends the gap before a packet at `offset`. */
static void close_gap(HephReader *reader, uint64_t offset)
{
    assert(reader->gap.is_open);
    skip(reader, reader->gap.begin, offset);
    reader->gap.is_open = false;
}

/* Ends the gap at the end of the input. Reports a truncated packet in it separately. `which` names that packet: "the
 * last" of a file, for example. */
static void end_gap(HephReader *reader, uint64_t offset, const char *which)
{
    Gap *gap = &reader->gap;
    assert(gap->is_open);
    uint64_t skipped_end = gap->has_cut ? gap->cut_offset : offset;
    if (skipped_end > gap->begin.offset) skip(reader, gap->begin, skipped_end);
    if (!gap->has_cut) return;
    EventPos pos = { gap->cut_offset, reader->packet };
    assert(offset >= gap->cut_offset);
    uint64_t there = offset - gap->cut_offset;
    if (gap->cut_size == 0) {
        builder_warn(reader->builder, "truncated-packet", pos,
                     "%s packet is cut short after %" PRIu64 " bytes", which, there);
    } else {
        builder_warn(reader->builder, "truncated-packet", pos,
                     "%s packet is cut short: %" PRIu64 " of %" PRIu32 " bytes", which, there, gap->cut_size);
    }
    builder_set_incomplete(reader->builder);
    heph_facts_skip(&reader->facts, gap->cut_offset, there);
}

/* -- the reader -- */

static void *heph_open(Arena *arena, TraceBuilder *builder, Err *err)
{
    HephReader *reader = ARENA_NEW(arena, HephReader);
    LabelCache *labels = reader == NULL ? NULL : label_cache_create(arena);
    LabelCache *seen = labels == NULL ? NULL : label_cache_create(arena);
    if (seen == NULL) {
        err_set(err, ERR_MEMORY, "out of memory");
        return NULL;
    }
    reader->builder = builder;
    reader->labels = labels;
    reader->times.builder = builder;
    reader->options.builder = builder;
    reader->options.seen = seen;
    reader->streams.arena = arena;
    builder_set_version(builder, HEPH_PRESENT.version);
    builder_set_titles(builder, HEPH_STREAM_TITLE, HEPH_SUBSTREAM_TITLE);
    builder_set_ties(builder, TIES_LATER_OUTSIDE);
    builder_set_overlaps(builder, OVERLAPS_EXPECTED); /* spans of a substream may overlap */
    return reader;
}

static void take_packet(HephReader *reader, const FoundPacket *packet, const uint8_t *bytes, EventPos pos)
{
    if (reader->gap.is_open) close_gap(reader, pos.offset);
    if (packet->kind == PACKET_METADATA) {
        reader->facts.metadata_count++;
        heph_option_take(&reader->options, &reader->times, &packet->option, pos);
    } else {
        if (UNLIKELY(reader->finder.layout == &HEPH_EARLY && !reader->is_early)) {
            reader->is_early = true;
            builder_set_version(reader->builder, HEPH_EARLY.version);
            builder_warn(reader->builder, "early-layout", pos,
                         "events are in the layout of before 17 March 2021, which has no substreams");
        }
        take_event(reader, packet, bytes, pos);
    }
    reader->packet++;
}

static void count_kind(HephReader *reader, const char *name, uint64_t count)
{
    builder_count_events(reader->builder, builder_event_kind(reader->builder, name, strlen(name)), count);
}

static bool end_input(HephReader *reader, uint64_t offset, Err *err)
{
    bool cut = reader->gap.has_cut && offset - reader->gap.cut_offset >= HEPH_MAGIC_BYTES;
    if (reader->packet == 0 && !cut && !reader->gap.has_large) {
        return err_set_at(err, ERR_UNKNOWN, 0, ERR_NOWHERE, "no Heph packet in %" PRIu64 " bytes", offset);
    }
    if (reader->gap.is_open) end_gap(reader, offset, "the last");
    heph_report_epochs(&reader->options);
    heph_report_counters(&reader->streams, reader->builder);
    count_kind(reader, "event", reader->facts.event_count);
    count_kind(reader, "metadata", reader->facts.metadata_count);
    if (!heph_facts_report(&reader->facts, &reader->streams, reader->builder)) reader->out_of_memory = true;
    return true;
}

/* Reads the packets at the start of `bytes`. Returns the number of bytes used. */
static size_t read_packets(HephReader *reader, const uint8_t *bytes, size_t size, InputState input)
{
    FoundPacket packet;
    size_t      at = 0;
    while (at < size) {
        const uint64_t offset = reader->offset + at;
        Found          found = heph_find_here(&reader->finder, bytes + at, size - at, offset, input, &packet);
        if (found == FOUND_TOO_FEW_BYTES) break;
        if (LIKELY(found == FOUND_PACKET)) {
            take_packet(reader, &packet, bytes + at, (EventPos){ offset, reader->packet });
            assert(packet.size > 0 && packet.size <= size - at);
            at += packet.size;
        } else {
            open_gap(reader, &packet, offset);
            at = heph_find_magic(bytes, size, at + 1);
        }
    }
    assert(at <= size);
    return at;
}

/* Ends a datagram. The rest of a truncated packet does not follow in the next datagram. */
static void end_part(HephReader *reader)
{
    if (reader->gap.is_open) end_gap(reader, reader->offset, "a datagram's last");
    reader->gap.is_open = false;
}

static bool heph_read(void *state, const uint8_t *bytes, size_t size, InputState input, size_t *used,
                      Err *err)
{
    HephReader *reader = state;
    *used = read_packets(reader, bytes, size, input);
    reader->offset += *used;
    if (input == INPUT_PART_ENDS) end_part(reader);
    if (input == INPUT_ENDS && !end_input(reader, reader->offset, err)) return false;
    if (reader->out_of_memory || reader->streams.out_of_memory || reader->options.out_of_memory)
        return err_set(err, ERR_MEMORY, "out of memory");
    return true;
}

static void heph_configure(void *state, const ReadContext *context)
{
    HephReader *reader = state;
    reader->finder.most_bytes = context->record_limit;
}

static ReadLosses heph_losses(const void *state)
{
    const HephReader  *reader = state;
    const HephStreams *streams = &reader->streams;
    return (ReadLosses){ .missing = streams->missing_total,
                         .late = streams->late_total,
                         .twice = streams->twice_total,
                         .skipped_bytes = reader->facts.skipped_bytes };
}

static const StreamReading STREAM_READING = { .takes_datagrams = true, .losses = heph_losses };

const FormatReader HEPH_READER = {
    .name = "heph",
    .spec = "Heph, \"Trace Format\" 0.1.0 (January 2021 to July 2026)",
    .about = "Trace packets of the Heph actor framework, from files or live (`varve listen`).\n"
             "Usual name: *.bin.log.",
    .probe = heph_probe,
    .open = heph_open,
    .read = heph_read,
    .details = heph_details,
    .configure = heph_configure,
    .stream = &STREAM_READING,
};
