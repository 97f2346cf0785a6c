/* record/scope.h - slices of blocks: by a destructor in C++, by the attribute `cleanup` in C. */
#define VARVE_JOIN_(a, b) a##b
#define VARVE_NAME_(line) VARVE_JOIN_(varve_scope_, line)

#ifdef __cplusplus
struct VarveScope_ {
    explicit VarveScope_(const char *name)
    {
        varve_begin(name);
    }
    VarveScope_(const char *name, const char *args)
    {
        varve_begin_args(name, args);
    }
    template <size_t count> VarveScope_(const char *name, const VarveArgument (&arguments)[count])
    {
        varve_begin_with(name, arguments, count);
    }
    ~VarveScope_()
    {
        varve_end();
    }
    VarveScope_(const VarveScope_ &) = delete;
    VarveScope_ &operator=(const VarveScope_ &) = delete;
};
#define VARVE_SCOPE(name) const VarveScope_ VARVE_NAME_(__LINE__)(name)
#define VARVE_SCOPE_ARGS(name, args) const VarveScope_ VARVE_NAME_(__LINE__)(name, args)
#define VARVE_SCOPE_WITH(name, ...) const VarveScope_ VARVE_NAME_(__LINE__)(name, { __VA_ARGS__ })
#else
VARVE_INLINE_ void varve_end_scope_(const char *unused)
{
    (void)unused;
    varve_end();
}
#define VARVE_SCOPE(name)                                                                                    \
    const char VARVE_NAME_(__LINE__) __attribute__((cleanup(varve_end_scope_), unused)) =                    \
        (varve_begin(name), 0)
#define VARVE_SCOPE_ARGS(name, args)                                                                         \
    const char VARVE_NAME_(__LINE__) __attribute__((cleanup(varve_end_scope_), unused)) =                    \
        (varve_begin_args(name, args), 0)
#define VARVE_SCOPE_WITH(name, ...)                                                                          \
    const char VARVE_NAME_(__LINE__) __attribute__((cleanup(varve_end_scope_), unused)) =                    \
        (VARVE_BEGIN_WITH(name, __VA_ARGS__), 0)
#endif
