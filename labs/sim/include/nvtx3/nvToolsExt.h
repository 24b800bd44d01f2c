/* NVTX: names for parts of a program, for NVIDIA's profilers. No such tool runs here, and without
 * one these functions do nothing on a device's machine, too. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define NVTX_VERSION 3
#define NVTX_SUCCESS 0
#define NVTX_NO_PUSH_POP_TRACKING (-2)
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))

typedef enum { NVTX_COLOR_UNKNOWN, NVTX_COLOR_ARGB } nvtxColorType_t;
typedef enum {
    NVTX_MESSAGE_UNKNOWN,
    NVTX_MESSAGE_TYPE_ASCII,
    NVTX_MESSAGE_TYPE_UNICODE
} nvtxMessageType_t;
typedef enum {
    NVTX_PAYLOAD_UNKNOWN,
    NVTX_PAYLOAD_TYPE_UNSIGNED_INT64,
    NVTX_PAYLOAD_TYPE_INT64,
    NVTX_PAYLOAD_TYPE_DOUBLE,
    NVTX_PAYLOAD_TYPE_UNSIGNED_INT32,
    NVTX_PAYLOAD_TYPE_INT32,
    NVTX_PAYLOAD_TYPE_FLOAT
} nvtxPayloadType_t;

typedef uint64_t nvtxRangeId_t;

typedef union {
    const char *ascii;
    const wchar_t *unicode;
} nvtxMessageValue_t;

typedef struct {
    uint16_t version, size;
    uint32_t category;
    int32_t colorType;
    uint32_t color;
    int32_t payloadType, reserved0;
    union {
        uint64_t ullValue;
        int64_t llValue;
        double dValue;
        uint32_t uiValue;
        int32_t iValue;
        float fValue;
    } payload;
    int32_t messageType;
    nvtxMessageValue_t message;
} nvtxEventAttributes_t;

/* What a call gives without a tool: no handle, or that ranges are not followed. */
#define SIM_NVTX(type, name, parameters, result)                                                   \
    __attribute__((unused)) static inline type name parameters { return result; }
#define SIM_NVTX_TEXT(type, name, result)                                                          \
    SIM_NVTX(type, name##A, (const char *text), ((void)text, result))                              \
    SIM_NVTX(type, name##W, (const wchar_t *text), ((void)text, result))

SIM_NVTX_TEXT(void, nvtxMark, (void)0)
SIM_NVTX(void, nvtxMarkEx, (const nvtxEventAttributes_t *event), (void)event)
SIM_NVTX_TEXT(int, nvtxRangePush, NVTX_NO_PUSH_POP_TRACKING)
SIM_NVTX(int, nvtxRangePushEx, (const nvtxEventAttributes_t *event),
         ((void)event, NVTX_NO_PUSH_POP_TRACKING))
SIM_NVTX(int, nvtxRangePop, (void), NVTX_NO_PUSH_POP_TRACKING)
SIM_NVTX_TEXT(nvtxRangeId_t, nvtxRangeStart, 0)
SIM_NVTX(nvtxRangeId_t, nvtxRangeStartEx, (const nvtxEventAttributes_t *event), ((void)event, 0))
SIM_NVTX(void, nvtxRangeEnd, (nvtxRangeId_t id), (void)id)

#undef SIM_NVTX
#undef SIM_NVTX_TEXT

/* The names without a letter are those for char, unless the program wants wchar_t. */
#ifdef UNICODE
#define nvtxMark nvtxMarkW
#define nvtxRangePush nvtxRangePushW
#define nvtxRangeStart nvtxRangeStartW
#else
#define nvtxMark nvtxMarkA
#define nvtxRangePush nvtxRangePushA
#define nvtxRangeStart nvtxRangeStartA
#endif
