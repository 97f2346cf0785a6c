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
        VARVE_SCOPE("outer");
        VARVE_SCOPE_ARGS("inner", "{\"language\":\"C++\"}");
        try {
            fail("thrown");
        } catch (const std::runtime_error &) {
            VARVE_SCOPE("caught");
        }
    }
    std::thread([] {
        varve_thread_name("a C++ thread");
        VARVE_SCOPE("in a thread");
    }).join();
    return varve_record_stop();
}
