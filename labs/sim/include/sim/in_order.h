/* A call whose arguments are evaluated in the order of the source:
 * labs/sim/translate/device/evaluation_order.py. sim_in_order{[&](auto &&...a) { return f(a...); },
 * x, y}() is f(x, y). */
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

template <class Call, class... Arguments> struct sim_in_order {
    Call call;
    std::tuple<Arguments &&...> all;
    inline __attribute__((always_inline)) sim_in_order(Call made, Arguments &&...arguments)
        : call(made), all(std::forward<Arguments>(arguments)...) {}
    inline __attribute__((always_inline)) decltype(auto) operator()() {
        return std::apply(call, std::move(all));
    }
};
template <class Call, class... Arguments>
sim_in_order(Call, Arguments &&...) -> sim_in_order<Call, Arguments...>;

/* The value of a variable now; what follows in the expression may set it. */
template <class T>
static inline __attribute__((always_inline)) std::conditional_t<std::is_scalar_v<T>, T, const T &>
sim_now(const T &variable) {
    return variable;
}
