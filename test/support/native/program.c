/* A program that records itself: program FILE VERSION. Compiled with -finstrument-functions in several ways.
 * Tests find the lines of its functions by the marks at their ends. */
#include "recorder.h"

#include <stdlib.h>

#define NOT_INLINE __attribute__((noinline))

int outer(int depth);
/* Names in the form of C++ and Rust compilers. */
int templated(int number) __asm__("_ZN4demo5twiceIiEET_S1_");
int hashed(int number) __asm__("_ZN4demo4work17h0123456789abcdefE");

#ifdef PADDED
/* Moves every later function. */
int NOT_INLINE padding(int number);
int NOT_INLINE padding(int number)
{
    return number * number + 3 * number;
}
#endif

static int NOT_INLINE inner(int number)
{ // LINE inner
    return number + 1;
}

int NOT_INLINE templated(int number)
{                             // LINE templated
    return inner(number) * 2; // LINE templated calls inner
}

int NOT_INLINE hashed(int number)
{
    return number;
}

int NOT_INLINE outer(int depth)
{ // LINE outer
    if (depth > 0) return outer(depth - 1) + inner(depth);
    return templated(depth) + hashed(depth);
}

int __attribute__((no_instrument_function)) main(int argc, char **argv)
{
    if (argc != 3 || spall_auto_init(argv[1], atoi(argv[2])) != 0) return 1;
    int sum = 0;
    for (int i = 0; i < 20; i++)
        sum += outer(3); // LINE main calls outer
    spall_auto_quit();
    return sum == 0;
}
