#include "format/spall/layout.h"

/* The shapes of records. The layouts 0B to 0G have the same shapes under different types; 0H is version 1 with another
 * version number. test/data/spall/README.md lists the fixture of each. */
#define BEGIN_0A { .size = 33, .pid = 8, .tid = 16, .time = 24, .name_length = 32 }
#define END_0A { .size = 32, .pid = 8, .tid = 16, .time = 24 }
#define BEGIN_0B { .size = 18, .pid = 1, .tid = 5, .time = 9, .name_length = 17 }
#define COMPLETE_0E { .size = 26, .pid = 1, .tid = 5, .time = 9, .duration = 17, .name_length = 25 }
#define CACHE_HIT_0C { .size = 19, .pid = 1, .tid = 5, .time = 9, .number = 17 }
#define BEGIN_2 { .size = 12, .category = 1, .time = 2, .name_length = 10, .args_length = 11 }
#define INSTANT_3 { .size = 10, .time = 1, .name_length = 9 }
#define COUNTER_3 { .size = 18, .time = 1, .name_length = 9, .value = 10 }
/* The time is that of the end. */
#define WHOLE_SLICE_3 { .size = 19, .time = 1, .duration = 9, .name_length = 17, .args_length = 18 }
#define WITH_ID_3 { .size = 19, .time = 1, .id = 9, .role = 17, .name_length = 18 }
#define ARGUMENTS_3 { .size = 4, .number = 2 }
#define PAD_SKIP_1 { .size = 5, .number = 1 }
#define NAME_3 { .size = 2, .name_length = 1 }

/* Types that every header since 0F declares without a layout. */
#define NOT_PUBLISHED [1] = "Custom_Data", [5] = "Instant", [6] = "Overwrite_Timestamp"

const SpallLayout SPALL_V0[LAYOUT_V0_COUNT] = {
    { .name = "0F", /* 0G is 0F without Complete, under the same types */
      .version = "0",
      .header_size = 32,
      .id_size = 4,
      .unit_ns = 1000,
      .kinds = { [2] = RECORD_COMPLETE, [3] = RECORD_BEGIN, [4] = RECORD_END },
      .not_published = { NOT_PUBLISHED, [7] = "Update_Checksum" },
      .shapes = { [RECORD_BEGIN] = BEGIN_0B, [RECORD_END] = SHAPE_END_0B, [RECORD_COMPLETE] = COMPLETE_0E } },
    { .name = "0H",
      .version = "0",
      .header_size = 32,
      .id_size = 4,
      .unit_ns = 1000,
      .kinds = { [3] = RECORD_BEGIN, [4] = RECORD_END },
      .not_published = { NOT_PUBLISHED, [2] = "StreamOver" },
      .shapes = { [RECORD_BEGIN] = SHAPE_BEGIN_1, [RECORD_END] = SHAPE_END_0B } },
    { .name = "0E",
      .version = "0",
      .header_size = 32,
      .id_size = 4,
      .unit_ns = 1000,
      .kinds = { [1] = RECORD_COMPLETE, [2] = RECORD_BEGIN, [3] = RECORD_END },
      .not_published = { [4] = "Instant", [5] = "StreamOver" },
      .shapes = { [RECORD_BEGIN] = BEGIN_0B, [RECORD_END] = SHAPE_END_0B, [RECORD_COMPLETE] = COMPLETE_0E } },
    { .name = "0D",
      .version = "0",
      .header_size = 25,
      .id_size = 4,
      .unit_ns = 1000,
      .kinds = { [2] = RECORD_BEGIN, [3] = RECORD_END },
      .not_published = { [1] = "Completion", [4] = "Instant", [5] = "StreamOver" },
      .shapes = { [RECORD_BEGIN] = BEGIN_0B, [RECORD_END] = SHAPE_END_0B } },
    { .name = "0C",
      .version = "0",
      .header_size = 25,
      .id_size = 4,
      .unit_ns = 1000,
      .kinds = { [0] = RECORD_BEGIN, [1] = RECORD_END, [2] = RECORD_CACHE_HIT },
      .shapes = { [RECORD_BEGIN] = BEGIN_0B,
                  [RECORD_END] = SHAPE_END_0B,
                  [RECORD_CACHE_HIT] = CACHE_HIT_0C } },
    { .name = "0B",
      .version = "0",
      .header_size = 24,
      .id_size = 4,
      .unit_ns = 1000,
      .kinds = { [0] = RECORD_BEGIN, [1] = RECORD_END },
      .shapes = { [RECORD_BEGIN] = BEGIN_0B, [RECORD_END] = SHAPE_END_0B } },
    { .name = "0A",
      .version = "0",
      .header_size = 24,
      .id_size = 8,
      .unit_ns = 1000,
      .kinds = { [0] = RECORD_BEGIN, [1] = RECORD_END },
      .shapes = { [RECORD_BEGIN] = BEGIN_0A, [RECORD_END] = END_0A } },
};

const SpallLayout SPALL_V1 = {
    .name = "1",
    .version = "1",
    .header_size = 32,
    .id_size = 4,
    .unit_ns = 1000,
    .kinds = { [3] = RECORD_BEGIN, [4] = RECORD_END, [7] = RECORD_PAD_SKIP },
    .not_published = { NOT_PUBLISHED, [2] = "StreamOver", [8] = "MicroEnd" },
    .shapes = { [RECORD_BEGIN] = SHAPE_BEGIN_1, [RECORD_END] = SHAPE_END_0B, [RECORD_PAD_SKIP] = PAD_SKIP_1 },
};

const SpallLayout SPALL_V2 = {
    .name = "2",
    .version = "2",
    .header_size = 32,
    .id_size = 4,
    .unit_ns = 1,
    .time = TIME_U64,
    .frame_size = 8,
    .kinds = { [3] = RECORD_BEGIN, [4] = RECORD_END, [7] = RECORD_PAD_SKIP },
    .not_published = { NOT_PUBLISHED, [2] = "StreamOver" },
    .shapes = { [RECORD_BEGIN] = BEGIN_2, [RECORD_END] = SHAPE_END_2, [RECORD_PAD_SKIP] = PAD_SKIP_1 },
};

const SpallLayout SPALL_V3 = {
    .name = "3",
    .version = "3",
    .header_size = 32,
    .id_size = 4,
    .unit_ns = 1,
    .time = TIME_U64,
    .frame_size = 20,
    .frame_pid = 8,
    /* Only a community fork of spall-native has a layout for Instant, since 2026-05. */
    .kinds = { [3] = RECORD_BEGIN,
               [4] = RECORD_END,
               [5] = RECORD_INSTANT,
               [7] = RECORD_PAD_SKIP,
               [8] = RECORD_NAME_PROCESS,
               [9] = RECORD_NAME_THREAD,
               [10] = RECORD_THREAD_INSTANT,
               [11] = RECORD_COUNTER,
               [12] = RECORD_WHOLE_SLICE,
               [13] = RECORD_ASYNC,
               [14] = RECORD_FLOW,
               [15] = RECORD_ARGUMENTS },
    .not_published = { [1] = "Custom_Data", [2] = "StreamOver", [6] = "Overwrite_Timestamp" },
    .shapes = { [RECORD_BEGIN] = SHAPE_BEGIN_3,
                [RECORD_END] = SHAPE_END_2,
                [RECORD_INSTANT] = INSTANT_3,
                [RECORD_THREAD_INSTANT] = SHAPE_BEGIN_3,
                [RECORD_COUNTER] = COUNTER_3,
                [RECORD_WHOLE_SLICE] = WHOLE_SLICE_3,
                [RECORD_ASYNC] = WITH_ID_3,
                [RECORD_FLOW] = WITH_ID_3,
                [RECORD_ARGUMENTS] = ARGUMENTS_3,
                [RECORD_PAD_SKIP] = PAD_SKIP_1,
                [RECORD_NAME_PROCESS] = NAME_3,
                [RECORD_NAME_THREAD] = NAME_3 },
};

const SpallLayout *layout_of_version(uint64_t version)
{
    static const SpallLayout *const VERSIONS[] = { NULL, &SPALL_V1, &SPALL_V2, &SPALL_V3 };
    return version < sizeof VERSIONS / sizeof VERSIONS[0] ? VERSIONS[version] : NULL;
}

const SpallLayout *layout_named(StringView name)
{
    for (uint64_t version = 3; version >= 1; version--) {
        const SpallLayout *layout = layout_of_version(version);
        if (string_equal(name, c_string_view(layout->name))) return layout;
    }
    for (size_t i = 0; i < LAYOUT_V0_COUNT; i++) {
        if (string_equal(name, c_string_view(SPALL_V0[i].name))) return &SPALL_V0[i];
    }
    return NULL;
}

const char *layout_record_name(RecordKind kind)
{
    static const char *const NAMES[RECORD_KINDS] = {
        [RECORD_BEGIN] = "Begin",
        [RECORD_END] = "End",
        [RECORD_COMPLETE] = "Complete",
        [RECORD_CACHE_HIT] = "BeginCacheHit",
        [RECORD_INSTANT] = "Instant",
        [RECORD_THREAD_INSTANT] = "Thread_Instant",
        [RECORD_COUNTER] = "Counter",
        [RECORD_WHOLE_SLICE] = "Whole_Slice",
        [RECORD_ASYNC] = "Async",
        [RECORD_FLOW] = "Flow",
        [RECORD_ARGUMENTS] = "Arguments",
        [RECORD_PAD_SKIP] = "Pad_Skip",
        [RECORD_NAME_PROCESS] = "Name_Process",
        [RECORD_NAME_THREAD] = "Name_Thread",
    };
    return NAMES[kind];
}
