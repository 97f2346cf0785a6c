// A C++ program that records itself: scopes end at returns and exceptions.
#define VARVE_RECORD_IMPLEMENTATION
#include <varve/record.h>

#include <stdexcept>
#include <string>
#include <thread>

static void fail(const std::string &name)
{
    VARVE_SCOPE(name.c_str());
    throw std::runtime_error(name);
}

int main(int, char **arguments)
{
    if (varve_record_start(arguments[1]) != 0) return 1;
    {
        VARVE_SCOPE_WITH("outer", VARVE_ARG("rows", 12), VARVE_ARG("half", 0.5), VARVE_ARG("is", true), VARVE_ARG("text", "C++"));
        VARVE_INSTANT_WITH("instant", VARVE_ARG("size", std::string("abc").size()));
        VARVE_SCOPE_ARGS("inner", "{\"language\":\"C++\"}");
        try {
            fail("thrown");
        } catch (const std::runtime_error &) {
            VARVE_SCOPE("caught");
        }
    }
    VARVE_INSTANT_WITH("instant", VARVE_ARG("part", 1u));
    std::thread([] {
        varve_thread_name("a C++ thread");
        VARVE_SCOPE("in a thread");
    }).join();
    return varve_record_stop();
}
