/* Values of counters of a growing trace. The sum over the series of a counter is updated for each value. After late
 * values it is computed again from all of them. */
#include "trace/live/live_state.h"

#include <math.h>

/* Assigns a row to each new series of a counter, in order of arrival. */
static bool place_series(LiveTrace *live)
{
    const SeriesLog *series = live->builder->counters.series.items;
    for (size_t i = VECTOR_COUNT(live->shape.series_row, uint32_t);
         i < vec_count(&live->builder->counters.series); i++) {
        LiveTrack     *track = &VECTOR(live->counters, LiveTrack)[series[i].counter.index];
        const uint32_t row = track->series_count++;
        bytes_append(&live->shape.series_row, &row, sizeof row);
    }
    return !live->shape.series_row.failed;
}

/* Returns the last value of a series. */
static double latest_value(const LiveTrace *live, const LiveRow *row)
{
    const uint32_t count = row->row.extras->sample_count;
    return count == 0 ? 0
                      : sample_in_sum(live->trace.samples.value[row->row.extras->first_sample + count - 1]);
}

static bool absorb_sample(LiveTrace *live, const SampleRecord *sample)
{
    const SeriesLog *series = &live->builder->counters.series.items[sample->series];
    LiveTrack       *track = &VECTOR(live->counters, LiveTrack)[series->counter.index];
    LiveRow *row = live_row_get(live, track, VECTOR(live->shape.series_row, uint32_t)[sample->series], 0);
    if (row == NULL) return false;
    const double before = latest_value(live, row);
    row->row.extras->series = sample->series;
    if (!live_sample_add(live, row, sample->tick, sample->value)) return false;
    track->sample_count++;
    live_note_change(live, track, sample->tick);
    if (sample->tick < track->sums.tick) {
        track->late_samples++;
    } else {
        sample_sums_step(&track->sums, sample->tick, sample_in_sum(sample->value) - before);
    }
    if (sample->value < track->least) track->least = sample->value;
    if (sample->value > track->greatest) track->greatest = sample->value;
    return true;
}

static bool sum_up_anew(LiveTrace *live, LiveTrack *track)
{
    enum { MUCH_TO_SUM_UP = 1 << 12 };
    if (track->late_samples == 0) return true;
    if (live_postpones(live, track->late_samples, track->sample_count, MUCH_TO_SUM_UP)) return true;
    const uint32_t count = live_row_count(track);
    SeriesWalk    *walks = ARENA_ARRAY(&live->scratch, SeriesWalk, count);
    if (walks == NULL) return false;
    for (uint32_t r = 0; r < count; r++) {
        const Row *row = &live_rows(track)[r].row;
        walks[r] = (SeriesWalk){ .at = row->extras->first_sample,
                                 .end = row->extras->first_sample + row->extras->sample_count };
    }
    track->late_samples = 0;
    live_note_change(live, track, live->trace.end_tick); /* the scale of the chart may change */
    return sample_sums_walk(&live->scratch, &live->trace, walks, count, &track->sums);
}

bool live_counters_end(LiveTrace *live)
{
    const CounterLog *logs = live->builder->counters.all.items;
    const int64_t    *held_to = counters_held_to(live->builder, &live->scratch);
    if (held_to == NULL) return false;
    for (size_t i = 1; i < VECTOR_COUNT(live->counters, LiveTrack); i++) {
        const LiveTrack *counter = &VECTOR(live->counters, LiveTrack)[i];
        if (counter->sample_count > 0)
            live->trace.tracks[counter->track].extras->held_to = held_to[logs[i].process.index];
    }
    return true;
}

bool live_counters_absorb(LiveTrace *live)
{
    const TraceBuilder *builder = live->builder;
    if (!live_tracks_grow(live, &live->counters, vec_count(&builder->counters.all)) || !place_series(live))
        return false;
    for (size_t i = 1; i < VECTOR_COUNT(live->counters, LiveTrack); i++)
        VECTOR(live->counters, LiveTrack)[i].kind = TRACK_COUNTER;
    for (size_t p = 0; p < sample_log_pieces(&builder->counters.samples); p++) {
        const SamplePiece piece = sample_log_piece(&builder->counters.samples, p);
        for (size_t i = 0; i < piece.count; i++)
            if (!absorb_sample(live, &piece.samples[i])) return false;
    }
    for (size_t i = 1; i < VECTOR_COUNT(live->counters, LiveTrack); i++)
        if (!sum_up_anew(live, &VECTOR(live->counters, LiveTrack)[i])) return false;
    return true;
}
