/* The fast parser of profile nodes: where v8_node_text_usual reads a node, v8_node_text gives the same members, and the node ends
 * at the same byte.
 *
 * Input: any bytes. Each '{' outside of the nodes before it is taken for the begin of a node. */
#include "fuzz.h"

#include "format/trace_event/profile/v8_profile.h"

static void compare_value(const JsonValue *a, const JsonValue *b)
{
    expect(a->at == b->at && a->size == b->size && a->kind == b->kind && a->escaped == b->escaped,
           "another value");
}

static void compare(const V8NodeText *usual, const V8NodeText *text)
{
    compare_value(&usual->id, &text->id);
    compare_value(&usual->parent, &text->parent);
    compare_value(&usual->children, &text->children);
    compare_value(&usual->hits, &text->hits);
    compare_value(&usual->function, &text->function);
    compare_value(&usual->url, &text->url);
    compare_value(&usual->line, &text->line);
    compare_value(&usual->column, &text->column);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { MOST_NODES = 256 }; /* each may read the whole rest of the input */
    static const uint8_t NOTHING[1] = { 0 };
    const uint8_t *at = size == 0 ? NOTHING : data, *const end = at + size;
    for (unsigned nodes = 0; at < end && nodes < MOST_NODES; nodes += *at++ == '{') {
        V8NodeText     usual;
        JsonValue      value;
        const uint8_t *usual_stop = at, *stop = at;
        while (v8_node_text_usual(at, end, &usual, &usual_stop)) {
            expect(json_scan_value(at, end, &value, &stop) == JSON_SCAN_DONE, "not a value");
            expect(stop == usual_stop, "another end");
            const V8NodeText text = v8_node_text(&value);
            compare(&usual, &text);
            at = stop;
        }
        if (at == end) break;
    }
    return 0;
}
