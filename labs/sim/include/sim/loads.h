/* What a traced program inserts around loads and stores, so that g++ makes those that nvcc makes:
 * labs/sim/translate/loads/merged_accesses.py and structure_loads.py say where. */
#pragma once

#include <type_traits>
#include <utility>

#define SIM_HERE inline __attribute__((always_inline))

extern "C" __attribute__((const, nothrow, leaf)) int sim_tag(const void *at,
                                                             unsigned long long tag);

constexpr unsigned long long sim_gcd(unsigned long long a, unsigned long long b) {
    return b == 0 ? a : sim_gcd(b, a % b);
}

/* The largest power of two that divides both, at most 16; 0 is a multiple of everything. */
constexpr unsigned long long sim_aligned(unsigned long long known, unsigned long long most) {
    return sim_gcd(sim_gcd(known, most), 16);
}

/* Tags an access whose address is a multiple of KNOWN bytes but for a constant (0: it is one).
 * COPIES: in a loop of so many copies the pointer that walks through memory points to the middle of
 * them, and no more is known of it; 0: it is not such a loop's. */
template <unsigned WINDOW, unsigned KIND, unsigned long long KNOWN, unsigned COPIES, typename T>
SIM_HERE T &sim_neighbour(T &at) {
    if constexpr (std::is_arithmetic<T>::value && !std::is_volatile<T>::value) {
        const unsigned long long aligned = sim_aligned(KNOWN, COPIES * sizeof(T) / 2);
        if constexpr (aligned > sizeof(T)) {
            const void *address = &at;
            asm volatile("" : "+r"(address));
            asm volatile("" : : "r"(sim_tag(address, SIM_TAG(WINDOW, KIND, aligned))));
        }
    }
    return at;
}

/* ---- structures: the vector types of CUDA */

template <typename T> using sim_plain = std::remove_cv_t<std::remove_reference_t<T>>;
template <typename T> using sim_element = sim_plain<decltype(std::declval<T>().x)>;

/* Two fields in one load. */
template <typename E> struct __attribute__((aligned(2 * sizeof(E)), may_alias)) sim_pair {
    E first, second;
};

/* Does nvcc read all of a T at once, to use the fields of MASK (bit 0: x)? */
template <typename T> constexpr bool sim_is_whole(unsigned mask) {
    constexpr unsigned count = sizeof(T) / sizeof(sim_element<T>);
    const unsigned used = (unsigned)__builtin_popcount(mask);
    if (used == count || alignof(T) < 2 * sizeof(sim_element<T>)) {
        return used == count;
    }
    return sizeof(sim_element<T>) < 4 ? used > 1 : sizeof(sim_element<T>) == 4 && used > 2;
}

/* The fields of MASK; the others are not read. */
template <unsigned MASK, typename T>
SIM_HERE std::conditional_t<sim_is_whole<T>(MASK), const T &, T> sim_fields(const T &from) {
    if constexpr (sim_is_whole<T>(MASK)) {
        return from;
    } else {
        using element = sim_element<T>;
        constexpr unsigned count = sizeof(T) / sizeof(element);
        T read;
        element *to = &read.x;
        const element *at = &from.x;
        for (unsigned i = 0; i < count; i++) {
            if (alignof(T) >= 2 * sizeof(element) && i % 2 == 0 && (MASK >> i & 3) == 3) {
                *(sim_pair<element> *)(to + i) = *(const sim_pair<element> *)(at + i);
                i++;
            } else if (MASK >> i & 1) {
                to[i] = at[i];
            }
        }
        return read;
    }
}

/* The program has types that are less aligned than their fields. */
extern "C" void sim_note_packed(void);

/* A static variable of a device function is in the device's memory, too. */
extern "C" void sim_note_static(const char *name, const char *file, int line, const void *at,
                                unsigned long bytes);

struct sim_packed {
    sim_packed() { sim_note_packed(); }
};

/* Lanes of the program's kernels may exchange values by volatile accesses. */
extern "C" void sim_note_together(void);

struct sim_together {
    sim_together() { sim_note_together(); }
};

/* A constant table or a string literal, of which g++ does not know what it holds. */
template <typename T> SIM_HERE const T &sim_table(const T &table) {
    const T *it = &table;
    asm("" : "+r"(it));
    return *it;
}

/* Notes the size and the alignment of a structure that the program copies as bytes, where it is
 * complete: static_assert(sim_notes(&sim_layout<T>), "") may stand in its own body. Nothing calls
 * it. */
template <typename T> __attribute__((used, noinline, noclone)) void sim_layout() {
    if constexpr (std::is_trivially_copyable<T>::value) {
        asm(".pushsection sim_layouts,\"a\"\n.balign 8\n.quad %c0, %c1\n.popsection" ::"i"(
                sizeof(T)),
            "i"(alignof(T)));
    }
}
constexpr bool sim_notes(void (*)()) { return true; }

/* The members that are used of such a structure, if each is a piece of its own. */
template <typename T, typename... M> SIM_HERE T sim_members(const T &from, M T::*...members) {
    if constexpr (((std::is_arithmetic<M>::value && sizeof(M) == alignof(T)) && ...) &&
                  alignof(T) <= 4 && alignof(T) < sizeof(T)) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized" // members that are not used
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
        T read;
        ((read.*members = from.*members), ...);
        return read;
#pragma GCC diagnostic pop
    } else {
        return from;
    }
}

/* A load of what is used below a test only. */
template <typename L> SIM_HERE auto sim_below(bool test, L load) -> sim_plain<decltype(load())> {
    sim_plain<decltype(load())> value{};
    if (test) {
        value = load();
    }
    return value;
}

/* A value that is chosen first, and then stored once. */
template <typename T> SIM_HERE T sim_chosen(T value) {
    asm volatile("" : "+m"(value));
    return value;
}

#undef SIM_HERE
