/* The bytes of a tile while it is made. */
#include "trace/wire/tile_layout.h"

void tile_records_clear(TileRowRecords *records)
{
    bytes_clear(&records->entries);
    bytes_clear(&records->aggregates);
    bytes_clear(&records->instants);
    bytes_clear(&records->samples);
}

void tile_records_release(TileRowRecords *records)
{
    bytes_release(&records->entries);
    bytes_release(&records->aggregates);
    bytes_release(&records->instants);
    bytes_release(&records->samples);
}

void tile_records_put_instant(TileRowRecords *records, const TileInstant *instant)
{
    Bytes *out = &records->instants;
    wire_put_u32(out, (uint32_t)(instant->instant - records->first_instant));
    wire_put_u32(out, instant->count);
    wire_put_u64(out, instant->tick);
    wire_put_u32(out, instant->label);
    wire_put_u32(out, 0);
}

void tile_records_put_sample(TileRowRecords *records, const TileSample *sample)
{
    Bytes *out = &records->samples;
    wire_put_u32(out, (uint32_t)(sample->sample - records->first_sample));
    wire_put_u32(out, sample->count);
    wire_put_u64(out, sample->tick);
    wire_put_f64(out, sample->least);
    wire_put_f64(out, sample->greatest);
    wire_put_f64(out, sample->last);
}

void tile_put_records(const TileRowRecords *records, size_t tile_start, uint32_t row, Bytes *out)
{
    if (records->entries.failed || records->aggregates.failed || records->instants.failed ||
        records->samples.failed)
        out->failed = true;
    const uint32_t at = (uint32_t)(out->size - tile_start);
    const uint32_t aggregates_at = at + (uint32_t)records->entries.size;
    const uint32_t instants_at = aggregates_at + (uint32_t)records->aggregates.size;
    const uint32_t samples_at = instants_at + (uint32_t)records->instants.size;
    bytes_append(out, records->entries.data, records->entries.size);
    bytes_append(out, records->aggregates.data, records->aggregates.size);
    bytes_append(out, records->instants.data, records->instants.size);
    bytes_append(out, records->samples.data, records->samples.size);
    if (out->failed) return;
    uint8_t *d = out->data + tile_start + TILE_HEADER_BYTES + (size_t)row * TILE_ROW_BYTES;
    bits_store_u32(d, at);
    bits_store_u32(d + 4, (uint32_t)(records->entries.size / TILE_ENTRY_BYTES));
    bits_store_u32(d + 8, aggregates_at);
    bits_store_u32(d + 12, (uint32_t)(records->aggregates.size / TILE_AGGREGATE_BYTES));
    bits_store_u32(d + 16, instants_at);
    bits_store_u32(d + 20, (uint32_t)(records->instants.size / TILE_INSTANT_BYTES));
    bits_store_u64(d + 24, records->first_slice);
    bits_store_u64(d + 32, records->first_instant);
    bits_store_u32(d + 40, samples_at);
    bits_store_u32(d + 44, (uint32_t)(records->samples.size / TILE_SAMPLE_BYTES));
    bits_store_u64(d + 48, records->first_sample);
}

void tile_put_header(TileKey key, uint32_t row_count, Bytes *out)
{
    wire_put_u32(out, TILE_MAGIC);
    wire_put_u32(out, key.track);
    wire_put_u32(out, key.band);
    wire_put_u32(out, key.level);
    wire_put_u64(out, key.index);
    wire_put_u32(out, row_count);
    wire_put_u32(out, 0);
    wire_put_u32(out, key.filter);
    wire_put_u32(out, 0);
    for (size_t i = 0; i < (size_t)row_count * TILE_ROW_BYTES / 4; i++)
        wire_put_u32(out, 0);
}
