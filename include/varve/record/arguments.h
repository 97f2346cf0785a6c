/* record/arguments.h - arguments with types. They are a record before that of their event:
 *
 *     type u8 (15), zero u8, size of the following u16; for each argument:
 *     kind u8, size of the key u8, key, value: 8 bytes little-endian; a bool 1 byte; a text size u8, text */

enum { VARVE_INT_, VARVE_NATURAL_, VARVE_NUMBER_, VARVE_BOOL_, VARVE_STRING_ };

#define VARVE_ARG_(type, suffix, kind_, member)                                                              \
    VARVE_INLINE_ VarveArgument varve_arg_##suffix##_(const char *key, type value)                           \
    {                                                                                                        \
        VarveArgument argument;                                                                              \
        argument.key = key;                                                                                  \
        argument.kind = kind_;                                                                               \
        argument.value.member = value;                                                                       \
        return argument;                                                                                     \
    }
VARVE_ARG_(long long, int, VARVE_INT_, integer)
VARVE_ARG_(unsigned long long, natural, VARVE_NATURAL_, natural)
VARVE_ARG_(double, number, VARVE_NUMBER_, number)
VARVE_ARG_(bool, bool, VARVE_BOOL_, natural)
VARVE_ARG_(const char *, string, VARVE_STRING_, text)
#undef VARVE_ARG_

/* Returns the size of an argument in the record. */
VARVE_INLINE_ size_t varve_argument_size_(const VarveArgument *argument, size_t key_size)
{
    const size_t head = 2 + key_size;
    if (argument->kind == VARVE_STRING_) return head + 1 + varve_text_size_(argument->value.text);
    return head + (argument->kind == VARVE_BOOL_ ? 1 : 8);
}

VARVE_INLINE_ uint8_t *varve_put_argument_(uint8_t *at, const VarveArgument *argument, size_t key_size)
{
    *at++ = (uint8_t)argument->kind;
    *at++ = (uint8_t)key_size;
    memcpy(at, argument->key, key_size);
    at += key_size;
    if (argument->kind == VARVE_STRING_) {
        const size_t size = varve_text_size_(argument->value.text);
        *at++ = (uint8_t)size;
        memcpy(at, argument->value.text, size);
        return at + size;
    }
    if (argument->kind == VARVE_BOOL_) {
        *at = (uint8_t)argument->value.natural;
        return at + 1;
    }
    varve_store64_(at, argument->value.natural); /* the bits of each other member */
    return at + 8;
}

/* Writes the record of the arguments that fit. Returns its size. */
VARVE_INLINE_ size_t varve_put_arguments_(uint8_t *record, const VarveArgument *arguments, size_t count)
{
    uint8_t *at = record + VARVE_ARGUMENTS_SIZE_;
    for (size_t i = 0; i < count; i++) {
        const size_t key_size = varve_text_size_(arguments[i].key);
        const size_t used = (size_t)(at - record) - VARVE_ARGUMENTS_SIZE_;
        if (varve_argument_size_(&arguments[i], key_size) > VARVE_ARGUMENTS_MAX_ - used) continue;
        at = varve_put_argument_(at, &arguments[i], key_size);
    }
    const size_t size = (size_t)(at - record);
    record[0] = VARVE_TYPE_ARGUMENTS_;
    record[1] = 0;
    record[2] = (uint8_t)((size - VARVE_ARGUMENTS_SIZE_) & 0xFF);
    record[3] = (uint8_t)((size - VARVE_ARGUMENTS_SIZE_) >> 8);
    return size;
}

/* The Begin follows the Pad_Skip with its arguments. Both are complete at once. */
VARVE_INLINE_ void varve_begin_with(const char *name, const VarveArgument *arguments, size_t count)
{
    VarveThread_ *const thread = &varve_thread_;
    const size_t        name_size = varve_text_size_(name);
    uint8_t *const      at = varve_enter_(thread);
    if (at == NULL) return;
    const size_t   skipped = varve_put_arguments_(at + VARVE_SKIP_SIZE_, arguments, count);
    uint8_t *const record = at + VARVE_SKIP_SIZE_ + skipped;
    record[0] = VARVE_TYPE_BEGIN_;
    record[9] = (uint8_t)name_size;
    record[10] = 0;
    memcpy(record + VARVE_BEGIN_SIZE_, name, name_size);
    varve_store64_(record + 1, varve_now_(thread));
    varve_leave_skip_(thread, skipped, record + VARVE_BEGIN_SIZE_ + name_size);
}

VARVE_INLINE_ void varve_instant_with(const char *name, const VarveArgument *arguments, size_t count)
{
    VarveThread_ *const thread = &varve_thread_;
    const size_t        name_size = varve_text_size_(name);
    uint8_t *const      at = varve_enter_(thread);
    if (at == NULL) return;
    const size_t   size = varve_put_arguments_(at + VARVE_SKIP_SIZE_, arguments, count);
    uint8_t *const record = at + VARVE_SKIP_SIZE_ + size;
    record[0] = VARVE_TYPE_INSTANT_;
    record[9] = (uint8_t)name_size;
    record[10] = 0;
    memcpy(record + VARVE_BEGIN_SIZE_, name, name_size);
    varve_store64_(record + 1, varve_now_(thread));
    varve_leave_skip_(thread, size + VARVE_BEGIN_SIZE_ + name_size, record + VARVE_BEGIN_SIZE_ + name_size);
}

VARVE_INLINE_ void varve_complete_with(const char *name, const VarveArgument *arguments, size_t count,
                                       uint64_t begin)
{
    VarveThread_ *const thread = &varve_thread_;
    const size_t        name_size = varve_text_size_(name);
    uint8_t *const      at = begin == 0 ? NULL : varve_enter_(thread);
    if (at == NULL) return;
    const size_t   size = varve_put_arguments_(at + VARVE_SKIP_SIZE_, arguments, count);
    uint8_t *const record = at + VARVE_SKIP_SIZE_ + size;
    record[0] = VARVE_TYPE_WHOLE_;
    record[17] = (uint8_t)name_size;
    record[18] = 0;
    memcpy(record + VARVE_WHOLE_SIZE_, name, name_size);
    const uint64_t now = varve_now_(thread);
    varve_store64_(record + 1, now);
    varve_store64_(record + 9, now > begin ? now - begin : 0);
    varve_leave_skip_(thread, size + VARVE_WHOLE_SIZE_ + name_size, record + VARVE_WHOLE_SIZE_ + name_size);
}

#ifdef __cplusplus
#define VARVE_ARG_OF_(type, suffix)                                                                          \
    VARVE_INLINE_ VarveArgument varve_arg_(const char *key, type value)                                      \
    {                                                                                                        \
        return varve_arg_##suffix##_(key, value);                                                            \
    }
VARVE_ARG_OF_(int, int)
VARVE_ARG_OF_(long, int)
VARVE_ARG_OF_(long long, int)
VARVE_ARG_OF_(unsigned, natural)
VARVE_ARG_OF_(unsigned long, natural)
VARVE_ARG_OF_(unsigned long long, natural)
VARVE_ARG_OF_(double, number)
VARVE_ARG_OF_(bool, bool)
VARVE_ARG_OF_(const char *, string)
#undef VARVE_ARG_OF_
template <size_t count>
VARVE_INLINE_ void varve_begin_list_(const char *name, const VarveArgument (&arguments)[count])
{
    varve_begin_with(name, arguments, count);
}
template <size_t count>
VARVE_INLINE_ void varve_instant_list_(const char *name, const VarveArgument (&arguments)[count])
{
    varve_instant_with(name, arguments, count);
}
template <size_t count>
VARVE_INLINE_ void varve_complete_list_(const char *name, uint64_t begin,
                                        const VarveArgument (&arguments)[count])
{
    varve_complete_with(name, arguments, count, begin);
}
#define VARVE_ARG(key, value) varve_arg_(key, value)
#define VARVE_BEGIN_WITH(name, ...) varve_begin_list_(name, { __VA_ARGS__ })
#define VARVE_INSTANT_WITH(name, ...) varve_instant_list_(name, { __VA_ARGS__ })
#define VARVE_COMPLETE_WITH(name, begin, ...) varve_complete_list_(name, begin, { __VA_ARGS__ })
#else
#define VARVE_ARG(key, value)                                                                                \
    _Generic((value),                                                                                        \
        bool: varve_arg_bool_,                                                                               \
        unsigned char: varve_arg_natural_,                                                                   \
        unsigned short: varve_arg_natural_,                                                                  \
        unsigned: varve_arg_natural_,                                                                        \
        unsigned long: varve_arg_natural_,                                                                   \
        unsigned long long: varve_arg_natural_,                                                              \
        float: varve_arg_number_,                                                                            \
        double: varve_arg_number_,                                                                           \
        char *: varve_arg_string_,                                                                           \
        const char *: varve_arg_string_,                                                                     \
        default: varve_arg_int_)(key, value)
#define VARVE_LIST_(...)                                                                                     \
    (const VarveArgument[]){ __VA_ARGS__ },                                                                  \
        sizeof((const VarveArgument[]){ __VA_ARGS__ }) / sizeof(VarveArgument)
#define VARVE_BEGIN_WITH(name, ...) varve_begin_with(name, VARVE_LIST_(__VA_ARGS__))
#define VARVE_INSTANT_WITH(name, ...) varve_instant_with(name, VARVE_LIST_(__VA_ARGS__))
#define VARVE_COMPLETE_WITH(name, begin, ...) varve_complete_with(name, VARVE_LIST_(__VA_ARGS__), begin)
#endif
