#include "view/camera.h"

#include "base/wide.h"
#include "support/test.h"
#include "view/axis.h"

#include <math.h>
#include <stdlib.h>

static Camera camera_over(uint64_t extent)
{
    Camera camera = { .width_px = 1000, .extent = extent };
    camera.target = camera_fit(&camera);
    return camera;
}

TEST(a_fit_shows_all_with_a_margin)
{
    Camera    camera = camera_over(1000000);
    CameraPos pos = camera_now(&camera);
    CHECK(fabs(camera_x(&pos, 0) - 1000 * 0.01 / 1.02) < 1e-6);
    CHECK(fabs(camera_x(&pos, 1000000) - (1000 - 1000 * 0.01 / 1.02)) < 1e-6);
}

TEST(a_single_tick_is_exact_at_the_far_end_of_the_longest_axis)
{
    int64_t   tick = (int64_t)(CAMERA_MAX_EXTENT - 5);
    Camera    camera = camera_over(CAMERA_MAX_EXTENT);
    CameraPos pos = camera_range(&camera, tick, 0.25, 10);
    camera_go(&camera, pos, CAMERA_JUMPS);
    pos = camera_now(&camera);
    CHECK_INT(pos.tick, tick);
    CHECK(fabs(camera_x(&pos, tick + 1) - 75) < 1e-9);
    CHECK_INT(camera_tick(&pos, 74.9), tick);
    CHECK_INT(camera_tick(&pos, 75.1), tick + 1);
    CHECK_INT(camera_tick(&pos, -25.1), tick - 1);
}

TEST(zooming_in_and_out_again_returns_to_the_pixel)
{
    Camera  camera = camera_over((uint64_t)1 << 61);
    int64_t under = camera_tick(&camera.target, 333);
    for (int i = 0; i < 400; i++)
        camera_zoom(&camera, 333, 1.25, CAMERA_JUMPS);
    CHECK(camera.target.px_per_tick == 256);
    /* the tick that was under the pointer at first, to the precision of a double, is still there */
    CHECK(llabs(camera_tick(&camera.target, 333) - under) < (int64_t)1 << 12);
    int64_t deep = camera_tick(&camera.target, 333);
    camera_zoom(&camera, 333, 1 / 1.25, CAMERA_JUMPS);
    camera_zoom(&camera, 333, 1.25, CAMERA_JUMPS);
    CHECK_INT(camera_tick(&camera.target, 333.0 + 1e-6), deep);
}

TEST(the_anchor_of_a_zoom_stands_still_while_it_moves)
{
    Camera  camera = camera_over(1000000);
    double  at = 700;
    int64_t tick = camera_tick(&camera.target, at);
    camera_zoom(&camera, at, 8, CAMERA_GLIDES);
    for (int ms = 0; ms < 500; ms += 10) {
        camera_step(&camera, 10);
        CameraPos pos = camera_now(&camera);
        CHECK(fabs(camera_x(&pos, tick) - at) < 1.5 * pos.px_per_tick + 0.2);
    }
    CHECK(!camera_is_moving(&camera));
}

TEST(motion_is_95_percent_done_after_120_ms_and_never_overshoots)
{
    Camera camera = camera_over(1000000);
    camera_zoom(&camera, 0, 4, CAMERA_JUMPS);
    CameraPos from = camera_now(&camera);
    camera_pan(&camera, 400, CAMERA_GLIDES);
    double before = 0;
    for (int ms = 1; ms <= 200; ms++) {
        camera_step(&camera, 1);
        CameraPos pos = camera_now(&camera);
        double    moved = -camera_x(&pos, from.tick);
        CHECK(moved >= before - 1e-6 && moved <= 400.5);
        if (ms == 60) CHECK(moved < 360);
        if (ms == 120) CHECK(moved > 375 && moved < 392);
        before = moved;
    }
}

TEST(a_new_target_takes_over_from_where_the_motion_is)
{
    Camera camera = camera_over(1000000);
    camera_zoom(&camera, 500, 10, CAMERA_JUMPS);
    camera_pan(&camera, 300, CAMERA_GLIDES);
    camera_step(&camera, 50);
    CameraPos before = camera_now(&camera);
    camera_pan(&camera, -600, CAMERA_GLIDES);
    CameraPos after = camera_now(&camera);
    CHECK(fabs(camera_x(&after, before.tick) + before.frac * before.px_per_tick) < 1e-3);
}

TEST(the_camera_stays_near_the_trace_and_within_its_zooms)
{
    Camera camera = camera_over(1000000);
    camera_pan(&camera, 1e12, CAMERA_JUMPS);
    CHECK(camera_x(&camera.target, 1000000) >= 99);
    camera_pan(&camera, -1e13, CAMERA_JUMPS);
    CHECK(camera_x(&camera.target, 0) <= 901);
    camera_zoom(&camera, 500, 1e-12, CAMERA_JUMPS);
    CHECK(camera.target.px_per_tick >= 1000 / 1.26e6);
    camera_zoom(&camera, 500, 1e300, CAMERA_JUMPS);
    CHECK(camera.target.px_per_tick == 256);
}

TEST(a_trace_of_one_moment_can_be_shown)
{
    Camera camera = camera_over(0);
    CHECK(camera_x(&camera.target, 0) > 300 && camera_x(&camera.target, 0) < 700);
}

/* ---- the axis ---- */

TEST(one_trace_is_its_own_axis)
{
    Clock     clock = clock_ticks(10, 3);
    AxisInput input = { &clock, -500, 123456, 0 };
    AxisMap   map;
    CHECK_UINT(axis_build(&input, 1, &map), 123456);
    CHECK(map.begin == 0 && map.num == 1 && map.den == 1);
    CHECK_INT(axis_from_offset(&map, 77), 77);
    CHECK_INT(axis_to_offset(&map, -3), -3);
}

TEST(a_span_of_all_64_bits_is_halved_until_it_fits)
{
    Clock     clock = clock_ns();
    AxisInput input = { &clock, INT64_MIN, UINT64_MAX, 0 };
    AxisMap   map;
    uint64_t  extent = axis_build(&input, 1, &map);
    CHECK(extent <= CAMERA_MAX_EXTENT && extent > CAMERA_MAX_EXTENT / 2);
    Camera    camera = camera_over(extent);
    CameraPos pos = camera_range(&camera, (int64_t)extent - 10, 0, 10);
    TickScale scale = tick_scale(&map, &pos, 1);
    /* ten units are forty ticks: the last one is just before the right edge, to the pixel */
    CHECK(tick_scale_x(&scale, UINT64_MAX) > 960 && tick_scale_x(&scale, UINT64_MAX) <= 1000);
    CHECK(fabs(tick_scale_x(&scale, UINT64_MAX) - tick_scale_x(&scale, UINT64_MAX - 1) - 25) < 1e-6);
    CHECK_UINT(tick_scale_offset(&scale, 1e9), UINT64_MAX);
    CHECK_UINT(tick_scale_offset(&scale, -1e300), 0);
}

TEST(clocks_of_different_speed_share_an_axis_exactly)
{
    Clock     ns = clock_ns(), slow = clock_ticks(1000, 3);
    AxisInput inputs[] = { { &ns, 0, 1000000, 0 }, { &slow, 0, 3000, 0 } };
    AxisMap   maps[2];
    CHECK_UINT(axis_build(inputs, 2, maps), 1000000);
    CHECK_INT(axis_from_offset(&maps[1], 3), 1000);
    CHECK_INT(axis_from_offset(&maps[1], 1), 333);
    CHECK_INT(axis_to_offset(&maps[1], 2000), 6);
    CameraPos pos = { .tick = 500, .frac = 0, .px_per_tick = 0.5 };
    TickScale scale = tick_scale(&maps[1], &pos, 2);
    for (uint64_t tick = 0; tick < 100; tick++) /* tick t is at t * 1000 / 3 ns */
        CHECK(fabs(tick_scale_x(&scale, tick) - ((double)tick * 1000 / 3 - 500)) < 1e-9);
}

TEST(traces_are_laid_over_each_other_by_the_wall_clock)
{
    Clock a = clock_ns(), b = clock_ns();
    a.has_epoch = b.has_epoch = true;
    a.epoch_unix_ns = 1700000000000000000;
    b.epoch_unix_ns = 1700000000000005000;
    AxisInput inputs[] = { { &a, 100, 1000, 0 }, { &b, 50, 1000, 0 } };
    AxisMap   maps[2];
    CHECK_UINT(axis_build(inputs, 2, maps), 4950 + 1000);
    CHECK(maps[0].begin == 0 && maps[1].begin == 4950);
}

/* Two senders, the second 25 s after the first: their clocks begin at 0 each. */
TEST(a_trace_that_is_received_later_begins_when_it_arrived)
{
    const int64_t now = 1700000000000000000, second = 1000000000;
    Clock         own = clock_ns(), wall = clock_ns();
    wall.has_epoch = true;
    wall.epoch_unix_ns = now + 7 * second;
    AxisInput own_zero[] = { { &own, 0, 100, now }, { &own, 50, 1000, now + 25 * second } };
    AxisInput with_epoch[] = { { &own, 0, 100, now }, { &wall, 3, 1000, now + 25 * second } };
    AxisInput one_clock[] = { { &own, 0, 100, now }, { &own, 24 * second, 1000, now + 25 * second } };
    AxisInput one_is_a_file[] = { { &own, 0, 100, now }, { &own, 50, 1000, 0 } };
    AxisMap   maps[2];
    CHECK_UINT(axis_build(own_zero, 2, maps), 25000001000);
    CHECK(maps[0].begin == 0 && maps[1].begin == 25 * second);
    CHECK_UINT(axis_build(with_epoch, 2, maps), 7000001003);
    CHECK(maps[0].begin == 0 && maps[1].begin == 7 * second + 3);
    CHECK_UINT(axis_build(one_clock, 2, maps), 24000001000);
    CHECK_INT(maps[1].begin, 24 * second);
    CHECK_UINT(axis_build(one_is_a_file, 2, maps), 1050);
    CHECK_INT(maps[1].begin, 50);
}

TEST(traces_whose_clocks_have_nothing_in_common_begin_together)
{
    Clock     ns = clock_ns();
    AxisInput far[] = { { &ns, 0, 1000, 0 }, { &ns, 1000000000, 1000, 0 } };
    AxisInput near[] = { { &ns, 0, 1000, 0 }, { &ns, 4000, 1000, 0 } };
    AxisMap   maps[2];
    CHECK_UINT(axis_build(far, 2, maps), 1000);
    CHECK(maps[1].begin == 0);
    CHECK_UINT(axis_build(near, 2, maps), 5000);
    CHECK(maps[1].begin == 4000);
}

TEST(anchors_of_traces_have_one_position)
{
    const Clock    ns = clock_ns(), slow = clock_ticks(10, 1);
    AxisInput      inputs[] = { { &ns, 0, 1000, 0 }, { &slow, 77, 300, 0 }, { &ns, 1000000000, 500, 0 } };
    const uint64_t anchors[] = { 700, 20, 0 };
    AxisMap        maps[3];
    CHECK_UINT(axis_build_by_anchors(inputs, 3, anchors, maps), 500 + 3000);
    for (unsigned i = 0; i < 3; i++)
        CHECK_INT(axis_from_offset(&maps[i], anchors[i]), 700);
    CHECK(maps[0].begin == 0 && maps[1].begin == 500 && maps[2].begin == 700);
}

TEST(anchors_of_any_size_make_an_axis)
{
    const Clock     fast = clock_ticks(1, 1000), slow = clock_ticks(1000000000, 1);
    const uint64_t  extremes[] = { 0, 1, INT64_MAX, UINT64_MAX };
    const AxisInput inputs[] = { { &fast, INT64_MIN, UINT64_MAX, 0 }, { &slow, INT64_MAX, UINT64_MAX, 0 } };
    for (unsigned i = 0; i < 16; i++) {
        const uint64_t anchors[] = { extremes[i / 4], extremes[i % 4] };
        AxisMap        maps[2];
        CHECK(axis_build_by_anchors(inputs, 2, anchors, maps) <= CAMERA_MAX_EXTENT);
        CHECK(maps[0].begin >= 0 && maps[1].begin >= 0);
    }
}

TEST(the_shortest_and_the_longest_tick_share_an_axis)
{
    const Clock     shortest = clock_ticks(1, INT64_MAX), longest = clock_ticks(UINT64_MAX, 1);
    const AxisInput inputs[] = { { &shortest, 0, UINT64_MAX, 0 }, { &longest, 0, UINT64_MAX, 0 } };
    AxisMap         maps[2];
    CHECK(axis_build(inputs, 2, maps) <= CAMERA_MAX_EXTENT);
    CHECK(maps[0].num > 0 && maps[0].den > 0 && maps[1].num > 0 && maps[1].den > 0);
}

TEST_MAIN("view/camera", TEST_CASE(a_fit_shows_all_with_a_margin),
          TEST_CASE(a_single_tick_is_exact_at_the_far_end_of_the_longest_axis),
          TEST_CASE(zooming_in_and_out_again_returns_to_the_pixel),
          TEST_CASE(the_anchor_of_a_zoom_stands_still_while_it_moves),
          TEST_CASE(motion_is_95_percent_done_after_120_ms_and_never_overshoots),
          TEST_CASE(a_new_target_takes_over_from_where_the_motion_is),
          TEST_CASE(the_camera_stays_near_the_trace_and_within_its_zooms),
          TEST_CASE(a_trace_of_one_moment_can_be_shown), TEST_CASE(one_trace_is_its_own_axis),
          TEST_CASE(a_span_of_all_64_bits_is_halved_until_it_fits),
          TEST_CASE(clocks_of_different_speed_share_an_axis_exactly),
          TEST_CASE(traces_are_laid_over_each_other_by_the_wall_clock),
          TEST_CASE(a_trace_that_is_received_later_begins_when_it_arrived),
          TEST_CASE(traces_whose_clocks_have_nothing_in_common_begin_together),
          TEST_CASE(anchors_of_traces_have_one_position), TEST_CASE(anchors_of_any_size_make_an_axis),
          TEST_CASE(the_shortest_and_the_longest_tick_share_an_axis))
