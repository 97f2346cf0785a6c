/* record/stream_json.h - events as Trace Event JSON: an array with an event a line. */

static void varve_json_string_(VarveStream_ *stream, const char *text, size_t size)
{
    varve_put_(stream, "\"", 1);
    for (size_t i = 0; i < size; i++) {
        const unsigned char c = (unsigned char)text[i];
        char                escape[8];
        if (c >= 0x20 && c != '"' && c != '\\') {
            varve_put_(stream, &c, 1);
        } else {
            snprintf(escape, sizeof escape, "\\u%04x", (unsigned)c);
            varve_put_(stream, escape, 6);
        }
    }
    varve_put_(stream, "\"", 1);
}

static void varve_json_u64_(VarveStream_ *stream, const char *before, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    varve_put_text_(stream, before);
    varve_put_text_(stream, text);
}

/* The decimal separator of snprintf depends on the locale. */
static void varve_json_double_(VarveStream_ *stream, double value)
{
    char text[40];
    if (!(value - value == 0)) { /* NaN or infinite */
        varve_put_text_(stream, "null");
        return;
    }
    snprintf(text, sizeof text, "%.17g", value);
    for (char *c = text; *c != 0; c++) {
        if (strchr("+-0123456789e", *c) == NULL) *c = '.';
    }
    varve_put_text_(stream, text);
}

/* Appends a time as microseconds. */
static void varve_json_time_(VarveStream_ *stream, const char *before, uint64_t ns)
{
    char text[8];
    varve_json_u64_(stream, before, ns / 1000);
    snprintf(text, sizeof text, ".%03u", (unsigned)(ns % 1000));
    varve_put_text_(stream, text);
}

/* -- the argument text: is it a JSON object? -- */

static const char *varve_skip_space_(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
        at++;
    return at;
}

static const char *varve_skip_digits_(const char *at, const char *end)
{
    const char *const begin = at;
    while (at < end && *at >= '0' && *at <= '9')
        at++;
    return at == begin ? NULL : at;
}

static const char *varve_skip_number_(const char *at, const char *end)
{
    if (*at == '-') at++;
    if (end - at >= 2 && at[0] == '0' && at[1] >= '0' && at[1] <= '9') return NULL;
    at = varve_skip_digits_(at, end);
    if (at != NULL && at < end && *at == '.') at = varve_skip_digits_(at + 1, end);
    if (at == NULL || at == end || (*at != 'e' && *at != 'E')) return at;
    at++;
    if (at < end && (*at == '+' || *at == '-')) at++;
    return varve_skip_digits_(at, end);
}

static const char *varve_skip_string_(const char *at, const char *end)
{
    for (at++; at < end && *at != '"'; at++) {
        if ((unsigned char)*at < 0x20) return NULL;
        if (*at != '\\') continue;
        if (++at == end || strchr("\"\\/bfnrtu", *at) == NULL) return NULL;
        for (int digit = 0; *at == 'u' && digit < 4; digit++) {
            if (at + 1 + digit >= end || strchr("0123456789abcdefABCDEF", at[1 + digit]) == NULL) return NULL;
        }
    }
    return at < end ? at + 1 : NULL;
}

/* Returns the end of the JSON value at `at`, or NULL. A text has at most 255 bytes, so it is not deep. */
static const char *varve_skip_json_(const char *at, const char *end)
{
    at = varve_skip_space_(at, end);
    if (at == end || *at == 0) return NULL;
    if (*at == '"') return varve_skip_string_(at, end);
    if (*at != '{' && *at != '[') {
        if (end - at >= 4 && (memcmp(at, "true", 4) == 0 || memcmp(at, "null", 4) == 0)) return at + 4;
        if (end - at >= 5 && memcmp(at, "false", 5) == 0) return at + 5;
        return varve_skip_number_(at, end);
    }
    const char close = *at == '{' ? '}' : ']';
    at = varve_skip_space_(at + 1, end);
    if (at < end && *at == close) return at + 1;
    for (;;) {
        if (close == '}') {
            at = varve_skip_space_(at, end);
            if (at == end || *at != '"') return NULL;
            at = varve_skip_string_(at, end);
            at = at == NULL ? NULL : varve_skip_space_(at, end);
            if (at == NULL || at == end || *at++ != ':') return NULL;
        }
        at = varve_skip_json_(at, end);
        at = at == NULL ? NULL : varve_skip_space_(at, end);
        if (at == NULL || at == end) return NULL;
        if (*at == close) return at + 1;
        if (*at++ != ',') return NULL;
    }
}

static int varve_is_object_(const char *text, size_t size)
{
    return size > 0 && text[0] == '{' && varve_skip_json_(text, text + size) == text + size;
}

/* -- events -- */

static void varve_json_arguments_(VarveStream_ *stream, VarveEvent_ *event)
{
    VarveArgument argument;
    size_t        key_size, text_size;
    const char   *before = ",\"args\":{";
    if (event->text_size > 0) {
        const int is_object = varve_is_object_(event->text, event->text_size);
        varve_put_text_(stream, is_object ? ",\"args\":" : ",\"args\":{\"args\":");
        if (is_object)
            varve_put_(stream, event->text, event->text_size);
        else
            varve_json_string_(stream, event->text, event->text_size);
        if (!is_object) varve_put_text_(stream, "}");
    }
    if (event->arguments_size == 0) return;
    while (varve_next_argument_(event, &argument, &key_size, &text_size)) {
        varve_put_text_(stream, before);
        varve_json_string_(stream, argument.key, key_size);
        if (argument.kind == VARVE_INT_) {
            const int      is_negative = argument.value.integer < 0;
            const uint64_t bits = argument.value.natural;
            varve_json_u64_(stream, is_negative ? ":-" : ":", is_negative ? 0 - bits : bits);
        } else if (argument.kind == VARVE_NATURAL_) {
            varve_json_u64_(stream, ":", argument.value.natural);
        } else if (argument.kind == VARVE_BOOL_) {
            varve_put_text_(stream, argument.value.natural != 0 ? ":true" : ":false");
        } else if (argument.kind == VARVE_NUMBER_) {
            varve_put_text_(stream, ":");
            varve_json_double_(stream, argument.value.number);
        } else {
            varve_put_text_(stream, ":");
            varve_json_string_(stream, argument.value.text, text_size);
        }
        before = ",";
    }
    varve_put_text_(stream, "}");
}

static const char *varve_json_phase_(const VarveEvent_ *event)
{
    static const char *const ASYNC[] = { "b", "e", "n" }, *const FLOW[] = { "s", "f", "t" };
    switch (event->type) {
    case VARVE_TYPE_BEGIN_:
        return "B";
    case VARVE_TYPE_END_:
        return "E";
    case VARVE_TYPE_INSTANT_:
        return "i";
    case VARVE_TYPE_COUNTER_:
        return "C";
    case VARVE_TYPE_WHOLE_:
        return "X";
    case VARVE_TYPE_ASYNC_:
        return ASYNC[event->role];
    case VARVE_TYPE_FLOW_:
        return FLOW[event->role];
    default:
        return "M";
    }
}

static void varve_json_event_(VarveStream_ *stream, const VarveStreamSource_ *source, VarveEvent_ *event)
{
    const char *const phase = varve_json_phase_(event);
    const uint64_t    end_ns = varve_stream_ns_(stream, event->time);
    const uint64_t    begin_ns = varve_stream_ns_(stream, event->time - event->duration);
    varve_put_text_(stream, stream->event_count++ == 0 ? "[\n{\"ph\":\"" : ",\n{\"ph\":\"");
    varve_put_text_(stream, phase);
    varve_json_u64_(stream, "\",\"pid\":", (uint64_t)getpid());
    varve_json_u64_(stream, ",\"tid\":", source->id);
    if (phase[0] == 'M') {
        varve_put_text_(stream, event->type == VARVE_TYPE_PROCESS_
                                    ? ",\"name\":\"process_name\",\"args\":{\"name\":"
                                    : ",\"name\":\"thread_name\",\"args\":{\"name\":");
        varve_json_string_(stream, event->name, event->name_size);
        varve_put_text_(stream, "}}");
        return;
    }
    varve_json_time_(stream, ",\"ts\":", begin_ns);
    if (phase[0] == 'X') varve_json_time_(stream, ",\"dur\":", end_ns - begin_ns);
    if (phase[0] != 'E') {
        varve_put_text_(stream, ",\"name\":");
        varve_json_string_(stream, event->name, event->name_size);
    }
    if (phase[0] == 'i') varve_put_text_(stream, ",\"s\":\"t\"");
    if (phase[0] == 'f') varve_put_text_(stream, ",\"bp\":\"e\"");
    if (phase[0] == 'C') {
        varve_put_text_(stream, ",\"args\":{\"value\":");
        varve_json_double_(stream, event->value);
        varve_put_text_(stream, "}");
    }
    if (event->type == VARVE_TYPE_ASYNC_ || event->type == VARVE_TYPE_FLOW_) {
        varve_json_u64_(stream, ",\"cat\":\"varve\",\"id\":\"", event->id);
        varve_put_text_(stream, "\"");
    }
    varve_json_arguments_(stream, event);
    varve_put_text_(stream, "}");
}

static void varve_json_end_(VarveStream_ *stream)
{
    varve_put_text_(stream, stream->event_count == 0 ? "[\n]\n" : "\n]\n");
}
