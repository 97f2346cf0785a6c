#include "app/session/range_answers.h"

#include "app/session/slot.h"
#include "base/vec.h"
#include "trace/store/categories.h"
#include "trace/wire/outline.h"

#include <stdio.h>
#include <string.h>

enum { REQUEST_TEXT_BYTES = 4096 };

/* The answers while they are made. */
typedef struct Making {
    Session      *session;
    uint32_t      trace; /* its number */
    RangeAnswers *answers;
    VEC(VarveAnswer) list;
    StringView hidden; /* the categories that are hidden at first */
    Err       *err;
} Making;

static bool no_memory(Making *making)
{
    return err_set(making->err, ERR_MEMORY, "out of memory for the answers of the file");
}

/* Adds the answer to a request, a name with a parameter or without one. */
static bool add(Making *making, const char *request)
{
    Arena       *arena = &making->answers->arena;
    char         text[REQUEST_TEXT_BYTES];
    const char  *parameter = strchr(request, '?');
    const size_t name = parameter == NULL ? strlen(request) : (size_t)(parameter - request);
    const bool   is_filtered = making->hidden.size > 0;
    (void)snprintf(text, sizeof text, "%.*s?trace=%u&stored=1%s%s%s%.*s", (int)name, request, making->trace,
                   parameter == NULL ? "" : "&", parameter == NULL ? "" : parameter + 1,
                   is_filtered ? "&hide=" : "", (int)making->hidden.size,
                   is_filtered ? making->hidden.bytes : "");
    Answer      answer = session_answer(making->session, text);
    const char *kept = arena_push_copy(arena, request, strlen(request));
    const char *body = arena_push_copy(arena, answer.body.data, answer.body.size);
    const bool  done = answer.status == SESSION_OK;
    if (done && kept != NULL && body != NULL)
        vec_push(&making->list, (VarveAnswer){ kept, { body, answer.body.size } });
    bytes_release(&answer.body);
    return (done && kept != NULL && body != NULL) || no_memory(making);
}

/* Makes the filter of the categories that are hidden at first, which the outline has. */
static bool make_filter(Making *making, const Trace *trace)
{
    Arena            *arena = &making->answers->arena;
    const VarveAnswer outline_answer = making->list.items[0];
    Outline           outline;
    Categories        categories;
    Filter           *filter;
    if (!outline_open(outline_answer.body.bytes, outline_answer.body.size, arena, &outline, making->err))
        return false;
    if (outline.hidden.size == 0) return true;
    if (!categories_list(trace, arena, &categories)) return no_memory(making);
    filter = categories_filter(&categories, outline.hidden, 0, NULL, making->err);
    if (filter == NULL) return false;
    making->answers->tiles.filter = filter;
    making->hidden = outline.hidden;
    return add(making, "visible");
}

static bool make(Making *making, const Trace *trace)
{
    char       page[32];
    const bool done = add(making, "outline") && make_filter(making, trace) &&
                      add(making, "overview?buckets=1024") && add(making, "info") &&
                      add(making, "categories") && add(making, "properties") && add(making, "identity");
    for (uint32_t i = 0; done && i <= trace->label_count / OUTLINE_LABEL_PAGE; i++) {
        (void)snprintf(page, sizeof page, "labels?page=%u", i);
        if (!add(making, page)) return false;
    }
    making->answers->tiles.answers = vec_copy(&making->list, &making->answers->arena);
    making->answers->tiles.answer_count = vec_count(&making->list);
    return done && (making->answers->tiles.answers != NULL || no_memory(making));
}

bool range_answers_create(Session *session, uint32_t trace, VarveLevels levels, RangeAnswers *answers,
                          Err *err)
{
    Making making = { .session = session, .trace = trace, .answers = answers, .list = VEC_EMPTY, .err = err };
    *answers = (RangeAnswers){ .arena = arena_create(0), .tiles = { .levels = levels } };
    const bool done = make(&making, session->slots[trace]->loaded.trace);
    vec_release(&making.list);
    if (!done) range_answers_release(answers);
    return done;
}

void range_answers_release(RangeAnswers *answers)
{
    filter_release((Filter *)(uintptr_t)answers->tiles.filter);
    arena_release(&answers->arena);
}
