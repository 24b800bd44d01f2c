/* The operations that reduce() and the scans may be called with; a lambda also may. */
#ifndef SIM_COOPERATIVE_FUNCTIONAL_H
#define SIM_COOPERATIVE_FUNCTIONAL_H

namespace cooperative_groups {

#define SIM_OPERATION(name, result)                                                                \
    template <class T = void> struct name {                                                        \
        T operator()(const T &a, const T &b) const {                                               \
            return result;                                                                         \
        }                                                                                          \
    };                                                                                             \
    template <> struct name<void> {                                                                \
        template <class A, class B>                                                                \
        typename std::common_type<A, B>::type operator()(const A &a, const B &b) const {           \
            return result;                                                                         \
        }                                                                                          \
    };

SIM_OPERATION(plus, a + b)
SIM_OPERATION(less, b < a ? b : a)
SIM_OPERATION(greater, a < b ? b : a)
SIM_OPERATION(bit_and, a & b)
SIM_OPERATION(bit_xor, a ^ b)
SIM_OPERATION(bit_or, a | b)

#undef SIM_OPERATION

} // namespace cooperative_groups

#endif
