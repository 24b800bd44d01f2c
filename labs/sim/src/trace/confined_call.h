/* How a function is defined that a traced program calls instead of the C library's of that name
 * (confined_calls.symbols). */
#pragma once

#define CALLER __builtin_return_address(0)
#define CONFINED(result, name, ...)                                                                \
    result sim_confined_##name(__VA_ARGS__);                                                       \
    result sim_confined_##name(__VA_ARGS__)
