#include "format/perfetto/packet.h"

#include "format/perfetto/fields.h"

enum { VARINT_BYTES = 10 /* of the longest varint */ };

/* The messages that a packet can hold: protos/perfetto/trace/trace_packet.proto. */
static const struct {
    uint32_t    number;
    const char *name;
} DATA[] = {
    { DATA_FTRACE, "FtraceEventBundle" },
    { DATA_PROCESS_TREE, "ProcessTree" },
    { 4, "InodeFileMap" },
    { 5, "ChromeEventBundle" },
    { DATA_CLOCK_SNAPSHOT, "ClockSnapshot" },
    { DATA_SYS_STATS, "SysStats" },
    { DATA_PROCESS_STATS, "ProcessStats" },
    { DATA_TRACK_EVENT, "TrackEvent" },
    { 33, "TraceConfig" },
    { 34, "FtraceStats" },
    { 35, "TraceStats" },
    { DATA_SYNC_MARKER, "synchronization_marker" },
    { 37, "ProfilePacket" },
    { 38, "BatteryCounters" },
    { 39, "AndroidLogPacket" },
    { 40, "PowerRails" },
    { DATA_PROCESS_DESCRIPTOR, "ProcessDescriptor" },
    { DATA_THREAD_DESCRIPTOR, "ThreadDescriptor" },
    { DATA_SYSTEM_INFO, "SystemInfo" },
    { 46, "Trigger" },
    { 47, "PackagesList" },
    { 48, "ChromeBenchmarkMetadata" },
    { 49, "PerfettoMetatrace" },
    { DATA_COMPRESSED, "compressed_packets" },
    { 51, "ChromeMetadataPacket" },
    { 52, "GpuCounterEvent" },
    { 53, "GpuRenderStageEvent" },
    { DATA_PROFILE, "StreamingProfilePacket" },
    { 57, "GraphicsFrameEvent" },
    { DATA_TRACK_DESCRIPTOR, "TrackDescriptor" },
    { 61, "ModuleSymbols" },
    { 62, "VulkanMemoryEvent" },
    { 63, "GpuLog" },
    { 64, "DeobfuscationMapping" },
    { 65, "VulkanApiEvent" },
    { DATA_PERF_SAMPLE, "PerfSample" },
    { 67, "CpuInfo" },
    { 68, "SmapsPacket" },
    { 69, "TracingServiceEvent" },
    { 70, "InitialDisplayState" },
    { 71, "GpuMemTotalEvent" },
    { 72, "ExtensionDescriptor" },
    { 73, "MemoryTrackerSnapshot" },
    { 74, "StreamingAllocation" },
    { 75, "StreamingFree" },
    { 77, "AndroidEnergyEstimationBreakdown" },
    { 78, "UiState" },
    { 82, "TranslationTable" },
    { 83, "AndroidGameInterventionList" },
    { 84, "StatsdAtom" },
    { 86, "AndroidSystemProperty" },
    { 89, "TraceUuid" },
    { 90, "TrackEventRangeOfInterest" },
    { 91, "EntityStateResidency" },
    { 95, "EtwTraceEventBundle" },
    { 99, "V8JsCode" },
    { 100, "V8InternalCode" },
    { 101, "V8WasmCode" },
    { 102, "V8RegExpCode" },
    { 103, "V8CodeMove" },
    { 107, "RemoteClockSync" },
    { 109, "ChromeTrigger" },
    { 110, "PixelModemEvents" },
    { 111, "PixelModemTokenDatabase" },
    { 113, "CloneSnapshotTrigger" },
    { 115, "KernelWakelockData" },
    { 117, "GenericKernelTaskStateEvent" },
    { 118, "GenericKernelCpuFrequencyEvent" },
    { 119, "CpuPerUidData" },
    { 120, "GenericKernelTaskRenameEvent" },
    { 122, "GenericKernelProcessTree" },
    { 123, "AndroidUserList" },
    { 124, "TraceProvenance" },
    { DATA_ZSTD_COMPRESSED, "zstd_compressed_packets" },
};

const char *packet_data_name(uint32_t number)
{
    for (size_t i = 0; i < sizeof DATA / sizeof DATA[0]; i++)
        if (DATA[i].number == number) return DATA[i].name;
    return NULL;
}

FrameState packet_frame(const uint8_t *bytes, size_t size, PacketFrame *frame)
{
    ByteCursor     c = cursor_over(bytes, size, 0);
    const uint64_t tag = wire_varint(&c);
    const uint64_t body = wire_varint(&c);
    *frame = (PacketFrame){ .size = size + 1 };
    if (c.failed) return size < 2 * VARINT_BYTES ? FRAME_SHORT : FRAME_DAMAGED;
    /* no other field of Trace is known: those of a later version have bytes */
    if ((tag & 7) != WIRE_BYTES || tag < 8 || tag > UINT32_MAX || body > UINT32_MAX) return FRAME_DAMAGED;
    frame->is_other = tag >> 3 != TRACE_PACKET;
    frame->size = c.at + (size_t)body;
    if (body > size - c.at) return FRAME_SHORT;
    frame->packet = (StringView){ (const char *)bytes + c.at, (size_t)body };
    return FRAME_WHOLE;
}

static void take_number(Packet *packet, const WireField *field)
{
    switch (field->number) {
    case PACKET_TIMESTAMP:
        packet->timestamp = field->value;
        packet->has_timestamp = true;
        break;
    case PACKET_SEQUENCE_ID:
        packet->sequence_id |= (uint32_t)field->value;
        break;
    case PACKET_MACHINE_ID:
        packet->sequence_id |= field->value << MACHINE_SHIFT;
        break;
    case PACKET_SEQUENCE_FLAGS:
        packet->flags |= (uint32_t)field->value;
        break;
    case PACKET_STATE_CLEARED:
        if (field->value != 0) packet->flags |= SEQUENCE_STATE_CLEARED;
        break;
    case PACKET_PREVIOUS_DROPPED:
        packet->was_dropped = field->value != 0;
        break;
    case PACKET_FIRST_ON_SEQUENCE:
        packet->is_first = field->value != 0;
        break;
    case PACKET_CLOCK_ID:
        packet->clock_id = (uint32_t)field->value;
        break;
    default:
        break;
    }
}

bool packet_decode(StringView bytes, Packet *packet)
{
    ByteCursor c = wire_message(bytes);
    WireField  field;
    *packet = (Packet){ .data = { "", 0 } };
    while (wire_next(&c, &field)) {
        if (field.type != WIRE_BYTES) {
            take_number(packet, &field);
        } else if (field.number == PACKET_INTERNED_DATA) {
            packet->has_interned = true;
        } else if (field.number == PACKET_DEFAULTS) {
            packet->defaults = field.bytes;
        } else if (packet->data_number == 0) {
            packet->data_number = field.number;
            packet->data = field.bytes;
        }
    }
    return !c.failed;
}

/* True if a packet of a known version may have such a field. */
static bool is_known(const WireField *field)
{
    switch (field->number) {
    case PACKET_TRUSTED_UID:
    case PACKET_TIMESTAMP:
    case PACKET_SEQUENCE_ID:
    case PACKET_SEQUENCE_FLAGS:
    case PACKET_STATE_CLEARED:
    case PACKET_PREVIOUS_DROPPED:
    case PACKET_CLOCK_ID:
    case PACKET_TRUSTED_PID:
    case PACKET_FIRST_ON_SEQUENCE:
    case PACKET_MACHINE_ID:
        return field->type == WIRE_VARINT;
    case PACKET_INTERNED_DATA:
    case PACKET_DEFAULTS:
        return field->type == WIRE_BYTES;
    default:
        return field->type == WIRE_BYTES && packet_data_name(field->number) != NULL;
    }
}

/* True if the fields of the message, which may end early, are numbers and bytes in the form of the wire. */
static bool is_message(StringView bytes, size_t most)
{
    ByteCursor c = wire_message(bytes);
    WireField  field;
    while (most-- > 0 && wire_next(&c, &field)) {
    }
    return !c.failed;
}

int packet_sure(const uint8_t *bytes, size_t size)
{
    enum { MOST_FIELDS = 16, WITH_SEQUENCE = 95, KNOWN = 70, LIKELY_CUT = 60 };
    ByteCursor c = cursor_over(bytes, size, 0);
    WireField  field;
    bool       has_sequence = false, any = false;
    for (int i = 0; i < MOST_FIELDS && c.at < c.size; i++) {
        if (!wire_next(&c, &field)) return i > 0 ? LIKELY_CUT : 0;
        if (!is_known(&field)) return 0;
        const bool is_bytes = field.number == DATA_SYNC_MARKER || field.number == DATA_COMPRESSED ||
                              field.number == DATA_ZSTD_COMPRESSED;
        if (field.type == WIRE_BYTES && !is_bytes && !is_message(field.bytes, MOST_FIELDS)) return 0;
        has_sequence |= field.number == PACKET_SEQUENCE_ID;
        any |= field.type == WIRE_BYTES || has_sequence;
    }
    return !any ? 0 : has_sequence ? WITH_SEQUENCE : KNOWN;
}
