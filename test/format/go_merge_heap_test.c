/* The heap of streams, compared with a search of all of them. */
#include "format/go/common/merge_heap.h"
#include "support/test.h"

enum { MOST_STREAMS = 37, STEPS = 4000 };

/* Streams with a key; those without one have the stream MOST_STREAMS. */
typedef struct Model {
    MergeEntry of[MOST_STREAMS];
    uint32_t   count; /* of streams */
} Model;

/* Few different times, so that many are equal; all places differ. */
static MergeEntry random_entry(TestRandom *random, uint32_t stream, int64_t *place)
{
    return (MergeEntry){ (int64_t)test_random_below(random, 16) - 8, ++*place, stream };
}

/* Returns the place of the first; MOST_STREAMS: no stream has a key. */
static uint32_t first_of(const Model *model)
{
    uint32_t first = MOST_STREAMS;
    for (uint32_t i = 0; i < model->count; i++) {
        if (model->of[i].stream == MOST_STREAMS) continue;
        if (first == MOST_STREAMS || merge_entry_is_before(model->of[i], model->of[first])) first = i;
    }
    return first;
}

static void check_first(const MergeHeap *heap, const Model *model)
{
    const uint32_t first = first_of(model);
    CHECK((heap->count == 0) == (first == MOST_STREAMS));
    if (first == MOST_STREAMS) return;
    CHECK(heap->stream[0] == first && heap->place[0] == model->of[first].place);
}

TEST(the_earliest_is_first)
{
    for (uint32_t count = 1; count <= MOST_STREAMS; count++) {
        Arena      arena = arena_create(0);
        MergeHeap  heap = { .count = 0 };
        Model      model = { .count = count };
        TestRandom random = { count };
        int64_t    place = 0;
        CHECK(merge_heap_create(&heap, &arena, count));
        for (uint32_t i = 0; i < count; i++)
            model.of[i].stream = MOST_STREAMS;
        for (uint32_t step = 0; step < STEPS; step++) {
            check_first(&heap, &model);
            const uint32_t first = first_of(&model);
            const uint32_t stream = (uint32_t)test_random_below(&random, count);
            if (model.of[stream].stream == MOST_STREAMS) {
                model.of[stream] = random_entry(&random, stream, &place);
                merge_heap_enter(&heap, model.of[stream]);
            } else if (test_random_below(&random, 3) == 0) {
                model.of[first].stream = MOST_STREAMS;
                merge_heap_leave(&heap);
            } else {
                model.of[first] = random_entry(&random, first, &place);
                merge_heap_go_on(&heap, model.of[first]);
            }
        }
        arena_release(&arena);
    }
}

TEST(a_heap_of_no_streams_is_empty)
{
    Arena     arena = arena_create(0);
    MergeHeap heap = { .count = 1 };
    CHECK(merge_heap_create(&heap, &arena, 0));
    CHECK(heap.count == 0);
    arena_release(&arena);
}

TEST_MAIN("go_merge_heap", TEST_CASE(the_earliest_is_first), TEST_CASE(a_heap_of_no_streams_is_empty))
