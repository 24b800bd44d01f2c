/* The operations that reduce() and the scans may be called with; a lambda also may. */
#pragma once

namespace cooperative_groups {

#define SIM_OPERATION(name, result)                                                                \
    template <class T> struct name {                                                               \
        T operator()(const T &a, const T &b) const { return result; }                              \
    };

SIM_OPERATION(plus, a + b)
SIM_OPERATION(less, b < a ? b : a)
SIM_OPERATION(greater, a < b ? b : a)
SIM_OPERATION(bit_and, a &b)
SIM_OPERATION(bit_xor, a ^ b)
SIM_OPERATION(bit_or, a | b)

#undef SIM_OPERATION

} // namespace cooperative_groups
