// Visits six fields of each event of a JSON trace with the on-demand parser of simdjson, and hashes the names. It keeps
// nothing: no nesting, no names, no index. bench/peers/peers.py builds and runs it.
#include <cstdint>
#include <cstdio>
#include <functional>
#include <simdjson.h>

int main(int argc, char **argv)
{
    if (argc != 2) return 2;
    uint64_t sum = 0, events = 0;
    try {
        simdjson::padded_string         text = simdjson::padded_string::load(argv[1]);
        simdjson::ondemand::parser      parser;
        simdjson::ondemand::document    document = parser.iterate(text);
        for (simdjson::ondemand::object event : document["traceEvents"]) {
            events++;
            for (auto field : event) {
                const std::string_view key = field.unescaped_key();
                if (key == "ph") {
                    sum += static_cast<uint8_t>(std::string_view(field.value())[0]);
                } else if (key == "name") {
                    sum += std::hash<std::string_view>()(std::string_view(field.value()));
                } else if (key == "ts" || key == "dur") {
                    sum += static_cast<uint64_t>(double(field.value()) * 1000);
                } else if (key == "pid" || key == "tid") {
                    sum += uint64_t(field.value());
                }
            }
        }
    } catch (const simdjson::simdjson_error &error) {
        std::fprintf(stderr, "%s: %s\n", argv[1], error.what());
        return 1;
    }
    std::printf("%llu events, sum %llu\n", static_cast<unsigned long long>(events), static_cast<unsigned long long>(sum));
    return 0;
}
