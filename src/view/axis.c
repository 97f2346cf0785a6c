#include "view/axis.h"

#include "base/checked.h"
#include "base/wide.h"

#include <assert.h>
#include <math.h>

static void reduce(uint64_t *num, uint64_t *den)
{
    assert(*num > 0 && *den > 0);
    uint64_t common = wide_common_divisor(*num, *den);
    *num /= common;
    *den /= common;
}

/* Sets the ticks of `clock` in one tick of `unit`, as a fraction. */
static void ticks_per_unit(const Clock *clock, const Clock *unit, AxisMap *map)
{
    if (!clock_has_time(clock) || !clock_has_time(unit)) { /* without time: one to one */
        map->num = map->den = 1;
        return;
    }
    uint64_t a = unit->ns_num, b = clock->ns_den, c = unit->ns_den, d = clock->ns_num;
    reduce(&a, &c);
    reduce(&a, &d);
    reduce(&b, &c);
    reduce(&b, &d);
    if (a <= (uint64_t)INT64_MAX / b && c <= (uint64_t)INT64_MAX / d) {
        map->num = a * b;
        map->den = c * d;
    } else {
        wide_ratio_from_double(clock_ns_per_tick(unit) / clock_ns_per_tick(clock), &map->num, &map->den);
    }
}

static bool all_have_epochs(const AxisInput *inputs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!inputs[i].clock->has_epoch) return false;
    return true;
}

/* The common time of the traces. */
typedef enum { AXIS_BY_NOTHING, AXIS_BY_CLOCK, AXIS_BY_WALL } AxisBasis;

/* Returns the begin of a trace on the common axis, in ns; only differences count. */
static int64_t begin_ns(const AxisInput *input, AxisBasis basis)
{
    const Clock *clock = input->clock;
    int64_t      ns = clock_to_ns(clock, input->begin_tick);
    if (basis != AXIS_BY_WALL) return ns;
    return clock->has_epoch ? i64_add_saturated(ns, clock->epoch_unix_ns) : input->begin_unix_ns;
}

static uint64_t distance(int64_t low, int64_t high)
{
    assert(low <= high);
    return (uint64_t)high - (uint64_t)low;
}

/* True if each trace has wall-clock time, or the time of its arrival. */
static bool all_have_wall_times(const AxisInput *inputs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!inputs[i].clock->has_epoch && inputs[i].begin_unix_ns == 0) return false;
    return true;
}

/* True if the distances of the begins by clock and by arrival agree within AXIS_ARRIVAL_NS. */
static bool clocks_match_arrivals(const AxisInput *inputs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!clock_has_time(inputs[i].clock)) return false;
        const AxisInput *one = &inputs[i];
        int64_t by_clock = i64_sub_saturated(begin_ns(one, AXIS_BY_CLOCK), begin_ns(inputs, AXIS_BY_CLOCK));
        int64_t by_wall = i64_sub_saturated(begin_ns(one, AXIS_BY_WALL), begin_ns(inputs, AXIS_BY_WALL));
        int64_t apart = i64_sub_saturated(by_clock, by_wall);
        if (apart > AXIS_ARRIVAL_NS || apart < -AXIS_ARRIVAL_NS) return false;
    }
    return true;
}

/* True if the traces were recorded at about the same time by their own clocks: the gaps between them are short in
 * comparison to their lengths. */
static bool clocks_agree(const AxisInput *inputs, uint32_t count)
{
    int64_t  first = INT64_MAX, last = INT64_MIN;
    uint64_t longest = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!clock_has_time(inputs[i].clock)) return false;
        int64_t  ns = begin_ns(&inputs[i], AXIS_BY_CLOCK);
        uint64_t span = clock_span_to_ns(inputs[i].clock, inputs[i].span);
        if (ns < first) first = ns;
        if (ns > last) last = ns;
        if (span > longest) longest = span;
    }
    return distance(first, last) / 10 <= longest;
}

static const Clock *finest_clock(const AxisInput *inputs, uint32_t count)
{
    const Clock *finest = inputs[0].clock;
    for (uint32_t i = 1; i < count; i++)
        if (clock_ns_per_tick(inputs[i].clock) < clock_ns_per_tick(finest)) finest = inputs[i].clock;
    return finest;
}

/* Returns the end of a trace on the axis; UINT64_MAX if out of range. */
static uint64_t end_on_axis(const AxisMap *map, uint64_t span)
{
    assert(map->num > 0 && map->den > 0);
    uint64_t length = wide_mul_div_u64(span, map->den, map->num);
    return u64_add_saturated((uint64_t)map->begin, length);
}

/* Doubles the unit of the axis. A ratio beyond 64 bits becomes the largest one. */
static void coarsen(AxisMap *maps, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        AxisMap *map = &maps[i];
        map->begin /= 2;
        if (map->den % 2 == 0) {
            map->den /= 2;
            continue;
        }
        if (map->num > UINT64_MAX / 2) {
            map->num /= map->den;
            map->den = 1;
        }
        map->num = u64_add_saturated(map->num, map->num);
    }
}

static AxisBasis basis_of(const AxisInput *inputs, uint32_t count)
{
    if (count < 2) return AXIS_BY_NOTHING;
    if (all_have_epochs(inputs, count)) return AXIS_BY_WALL;
    if (all_have_wall_times(inputs, count))
        return clocks_match_arrivals(inputs, count) ? AXIS_BY_CLOCK : AXIS_BY_WALL;
    return clocks_agree(inputs, count) ? AXIS_BY_CLOCK : AXIS_BY_NOTHING;
}

/* Bounds the begin of a trace on the axis. */
static int64_t bounded_begin(uint64_t begin)
{
    return begin > (uint64_t)INT64_MAX / 4 ? INT64_MAX / 4 : (int64_t)begin;
}

/* Doubles the unit until the axis is short enough. Returns its extent. */
static uint64_t fit_axis(const AxisInput *inputs, uint32_t count, AxisMap *maps)
{
    for (;;) {
        uint64_t extent = 0;
        for (uint32_t i = 0; i < count; i++) {
            uint64_t end = end_on_axis(&maps[i], inputs[i].span);
            if (end > extent) extent = end;
        }
        if (extent <= CAMERA_MAX_EXTENT) return extent;
        coarsen(maps, count);
    }
}

uint64_t axis_build(const AxisInput *inputs, uint32_t count, AxisMap *maps)
{
    if (count == 0) return 0;
    const Clock    *unit = finest_clock(inputs, count);
    const AxisBasis basis = basis_of(inputs, count);
    const bool      laid_over = basis != AXIS_BY_NOTHING;
    int64_t         first = INT64_MAX;
    for (uint32_t i = 0; i < count && laid_over; i++) {
        int64_t ns = begin_ns(&inputs[i], basis);
        if (ns < first) first = ns;
    }
    for (uint32_t i = 0; i < count; i++) {
        ticks_per_unit(inputs[i].clock, unit, &maps[i]);
        maps[i].begin =
            laid_over ? bounded_begin(clock_span_from_ns(unit, distance(first, begin_ns(&inputs[i], basis))))
                      : 0;
    }
    return fit_axis(inputs, count, maps);
}

uint64_t axis_build_by_anchors(const AxisInput *inputs, uint32_t count, const uint64_t *anchors,
                               AxisMap *maps)
{
    if (count == 0) return 0;
    const Clock *unit = finest_clock(inputs, count);
    uint64_t     latest = 0;
    for (uint32_t i = 0; i < count; i++) {
        ticks_per_unit(inputs[i].clock, unit, &maps[i]);
        const uint64_t anchor = wide_mul_div_u64(anchors[i], maps[i].den, maps[i].num);
        if (anchor > latest) latest = anchor;
    }
    for (uint32_t i = 0; i < count; i++)
        maps[i].begin = bounded_begin(latest - wide_mul_div_u64(anchors[i], maps[i].den, maps[i].num));
    return fit_axis(inputs, count, maps);
}

int64_t axis_from_offset(const AxisMap *map, uint64_t offset)
{
    return wide_scale_add(offset, map->den, map->num, map->begin);
}

int64_t axis_from_signed(const AxisMap *map, int64_t offset)
{
    if (offset >= 0) return axis_from_offset(map, (uint64_t)offset);
    AxisMap at_zero = { 0, map->num, map->den };
    int64_t before = axis_from_offset(&at_zero, 0 - (uint64_t)offset);
    return map->begin - before;
}

int64_t axis_to_offset(const AxisMap *map, int64_t axis)
{
    if (axis >= map->begin) {
        uint64_t ticks = wide_mul_div_u64(distance(map->begin, axis), map->num, map->den);
        return ticks > INT64_MAX ? INT64_MAX : (int64_t)ticks;
    }
    uint64_t ticks = wide_mul_div_u64(distance(axis, map->begin), map->num, map->den);
    return ticks > INT64_MAX ? INT64_MIN : -(int64_t)ticks;
}

TickScale tick_scale(const AxisMap *map, const CameraPos *pos, double device_pixels_per_px)
{
    assert(map->num > 0 && map->den > 0 && pos->px_per_tick > 0 && device_pixels_per_px > 0);
    double    ticks_per_unit_axis = (double)map->num / (double)map->den;
    TickScale scale = { .px_per_tick = pos->px_per_tick * device_pixels_per_px / ticks_per_unit_axis };
    if (pos->tick < map->begin) {
        double before = (double)distance(pos->tick, map->begin) - pos->frac;
        scale.base_px = before * pos->px_per_tick * device_pixels_per_px;
        return scale;
    }
    uint64_t rel = distance(map->begin, pos->tick);
    scale.base = wide_mul_div_u64(rel, map->num, map->den);
    /* The error of the rounding: |error| <= den / 2, so it is correct modulo 2^64. */
    int64_t error = (int64_t)(rel * map->num - scale.base * map->den);
    double  frac = (double)error / (double)map->den + pos->frac * ticks_per_unit_axis;
    scale.base_px = -frac * scale.px_per_tick;
    return scale;
}

double tick_scale_x(const TickScale *scale, uint64_t offset)
{
    double ticks = offset >= scale->base ? (double)(offset - scale->base) : -(double)(scale->base - offset);
    return scale->base_px + ticks * scale->px_per_tick;
}

uint64_t tick_scale_offset(const TickScale *scale, double x)
{
    assert(scale->px_per_tick > 0);
    double ticks = floor((x - scale->base_px) / scale->px_per_tick);
    if (!(ticks < 0x1p64)) return UINT64_MAX;
    if (ticks >= 0) {
        uint64_t forward = (uint64_t)ticks;
        return u64_add_saturated(scale->base, forward);
    }
    if (!(ticks > -0x1p64)) return 0;
    uint64_t back = (uint64_t)-ticks;
    return back > scale->base ? 0 : scale->base - back;
}
