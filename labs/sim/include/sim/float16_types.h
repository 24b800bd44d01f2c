/* The types of half and bfloat16, alone and in pairs. sim/float16_functions.h includes this file
 * for each of them, with its own macros defined; and with SIM_F16_OTHER, the other type, and
 * SIM_F16_NO_CONVERSIONS if the program wants no implicit conversions. */

struct __attribute__((aligned(2))) SIM_F16_RAW {
    unsigned short x;
};
struct __attribute__((aligned(4))) SIM_F16X2_RAW {
    unsigned short x, y;
};

#define SIM_FROM(From)                                                                             \
    SIM_INLINE_MEMBER SIM_F16(From value)                                                          \
        : __x(sim_f16_rounded<SIM_FORMAT>(sim_integer_to_odd(value), SIM_ROUND_NEAREST)) {}        \
    SIM_INLINE_MEMBER SIM_F16 &operator=(From value) { return *this = SIM_F16(value); }
#define SIM_TO(To)                                                                                 \
    SIM_INLINE_MEMBER operator To() const {                                                        \
        return sim_to_integer<To>((double)sim_widened(SIM_FORMAT{}, __x), SIM_ROUND_ZERO, false);  \
    }

struct __attribute__((aligned(2))) SIM_F16 {
  protected:
    unsigned short __x;

  public:
    SIM_F16() = default;
    SIM_INLINE_MEMBER constexpr SIM_F16(const SIM_F16_RAW &raw) : __x(raw.x) {}
    SIM_INLINE_MEMBER operator SIM_F16_RAW() const { return SIM_F16_RAW{__x}; }
    SIM_INLINE_MEMBER operator SIM_F16_RAW() const volatile { return SIM_F16_RAW{__x}; }
    SIM_INLINE_MEMBER SIM_F16 &operator=(const SIM_F16_RAW &raw) {
        __x = raw.x;
        return *this;
    }
    SIM_INLINE_MEMBER volatile SIM_F16 &operator=(const SIM_F16_RAW &raw) volatile {
        __x = raw.x;
        return *this;
    }
    SIM_INLINE_MEMBER volatile SIM_F16 &operator=(const volatile SIM_F16_RAW &raw) volatile {
        __x = raw.x;
        return *this;
    }
#ifndef SIM_F16_NO_CONVERSIONS
    explicit SIM_F16(const struct SIM_F16_OTHER &value); /* in cuda_bf16.h */
    SIM_INLINE_MEMBER SIM_F16(float value) : __x(sim_f16_nearest(SIM_FORMAT{}, value)) {}
    SIM_INLINE_MEMBER SIM_F16 &operator=(float value) { return *this = SIM_F16(value); }
    SIM_FROM(double)
    SIM_FROM(short)
    SIM_FROM(unsigned short)
    SIM_FROM(int)
    SIM_FROM(unsigned)
    SIM_FROM(long)
    SIM_FROM(unsigned long)
    SIM_FROM(long long)
    SIM_FROM(unsigned long long)
    SIM_INLINE_MEMBER operator float() const { return sim_widened(SIM_FORMAT{}, __x); }
    SIM_TO(signed char)
    SIM_TO(unsigned char)
    SIM_TO(char)
    SIM_TO(short)
    SIM_TO(unsigned short)
    SIM_TO(int)
    SIM_TO(unsigned)
    SIM_TO(long)
    SIM_TO(unsigned long)
    SIM_TO(long long)
    SIM_TO(unsigned long long)
    SIM_INLINE_MEMBER operator bool() const { return (__x & 0x7fffu) != 0; }
#endif
};

#undef SIM_TO
#undef SIM_FROM

struct __attribute__((aligned(4))) SIM_F16X2 {
    SIM_F16 x, y;

    SIM_F16X2() = default;
    SIM_INLINE_MEMBER constexpr SIM_F16X2(const SIM_F16 &a, const SIM_F16 &b) : x(a), y(b) {}
    SIM_INLINE_MEMBER SIM_F16X2(const SIM_F16X2_RAW &raw) {
        __builtin_memcpy(static_cast<void *>(this), &raw, sizeof *this);
    }
    /* A template is no candidate in `pair = {}`. */
    template <class Raw>
    SIM_INLINE_MEMBER
        typename std::enable_if<std::is_same<Raw, SIM_F16X2_RAW>::value, SIM_F16X2 &>::type
        operator=(const Raw &raw) {
        __builtin_memcpy(static_cast<void *>(this), &raw, sizeof *this);
        return *this;
    }
    SIM_INLINE_MEMBER operator SIM_F16X2_RAW() const {
        SIM_F16X2_RAW raw;
        __builtin_memcpy(&raw, this, sizeof raw);
        return raw;
    }
};
