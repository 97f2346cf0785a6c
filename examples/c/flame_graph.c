/* Prints the call paths of a trace as a tree, with their shares of the time.
 * usage: flame_graph TRACE */
#include <stdio.h>
#include <varve/varve.h>

int main(int argc, char **argv)
{
    VarveError  error;
    uint32_t    node_count = 0;
    uint64_t    all_ns = 0;
    VarveTrace *trace = argc == 2 ? varve_open(argv[1], NULL, &error) : NULL;
    VarveFlame *flame = trace == NULL ? NULL : varve_flame_open(trace, NULL, NULL, &error);
    if (flame == NULL) {
        fprintf(stderr, "%s\n", argc == 2 ? error.message : "usage: flame_graph TRACE");
        varve_close(trace);
        return 1;
    }
    const VarveFlameNode *nodes = varve_flame_nodes(flame, &node_count);
    for (uint32_t i = 0; i < node_count; i++)
        if (nodes[i].depth == 0) all_ns += nodes[i].total_ns;
    for (uint32_t i = 0; i < node_count; i++)
        printf("%5.1f %%  %*s%.*s\n", 100.0 * (double)nodes[i].total_ns / (double)(all_ns == 0 ? 1 : all_ns),
               2 * (int)nodes[i].depth, "", (int)nodes[i].name.size_bytes, nodes[i].name.bytes);
    varve_flame_close(flame);
    varve_close(trace);
    return 0;
}
