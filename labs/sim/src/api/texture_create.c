#include "api/texture_create.h"

#include "texture/texel.h"

/* Of linear memory that a texture reads, and of its pitch: cudaDeviceProp. */
enum { ALIGNMENT = 512, PITCH_ALIGNMENT = 32 };

static struct texture_level level_of(const struct cudaArray *a) {
    return (struct texture_level){a->texels,     a->pitch,       a->slice,
                                  (int)a->width, (int)a->height, (int)a->depth};
}

static bool is_live(const struct cudaArray *array) {
    return sim_is_array(array) && !array->freed;
}

size_t sim_texture_misalignment(const void *pointer) {
    const struct sim_allocation *a = sim_owner(pointer);
    const char *at = pointer;
    return a ? (size_t)(at - a->base) % ALIGNMENT : (uintptr_t)pointer % 256;
}

static cudaError_t set_format(struct sim_texture *t, struct cudaChannelFormatDesc f) {
    t->element = (unsigned)sim_element_bytes(f);
    if (t->element == 0) {
        return cudaErrorInvalidChannelDescriptor;
    }
    t->channels = t->element * 8 / (unsigned)f.x;
    bool is_signed = f.f == cudaChannelFormatKindSigned;
    if (f.x == 32) {
        t->format = TEXEL_32;
    } else if (f.f == cudaChannelFormatKindFloat) {
        t->format = TEXEL_HALF;
    } else if (f.x == 16) {
        t->format = is_signed ? TEXEL_SIGNED_16 : TEXEL_UNSIGNED_16;
    } else {
        t->format = is_signed ? TEXEL_SIGNED_8 : TEXEL_UNSIGNED_8;
    }
    return cudaSuccess;
}

/* The same integers read as floats from -1 or 0 to 1. */
static enum texel_format normalised(enum texel_format format, bool srgb) {
    switch (format) {
    case TEXEL_SIGNED_8:
        return TEXEL_SNORM_8;
    case TEXEL_UNSIGNED_8:
        return srgb ? TEXEL_SRGB : TEXEL_UNORM_8;
    case TEXEL_SIGNED_16:
        return TEXEL_SNORM_16;
    case TEXEL_UNSIGNED_16:
        return TEXEL_UNORM_16;
    default:
        return format;
    }
}

static cudaError_t use_array(struct sim_texture *t, const struct cudaArray *array) {
    if (!is_live(array)) {
        return cudaErrorInvalidResourceHandle;
    }
    t->array = array;
    t->array_flags = array->flags;
    t->level = level_of(array);
    return set_format(t, array->format);
}

static cudaError_t use_linear(struct sim_texture *t, const struct cudaResourceDesc *r) {
    cudaError_t error = set_format(t, r->res.linear.desc);
    size_t bytes = r->res.linear.sizeInBytes;
    if (error != cudaSuccess) {
        return error;
    }
    if (!r->res.linear.devPtr || sim_texture_misalignment(r->res.linear.devPtr) != 0 ||
        bytes / t->element > (size_t)1 << 28) {
        return cudaErrorInvalidValue;
    }
    t->is_linear_memory = true;
    t->level =
        (struct texture_level){r->res.linear.devPtr, bytes, bytes, (int)(bytes / t->element), 1, 1};
    return cudaSuccess;
}

static cudaError_t use_pitched(struct sim_texture *t, const struct cudaResourceDesc *r) {
    cudaError_t error = set_format(t, r->res.pitch2D.desc);
    size_t width = r->res.pitch2D.width, height = r->res.pitch2D.height,
           pitch = r->res.pitch2D.pitchInBytes;
    if (error != cudaSuccess) {
        return error;
    }
    if (!r->res.pitch2D.devPtr || sim_texture_misalignment(r->res.pitch2D.devPtr) != 0 ||
        width > 131072 || height > 65000 || pitch > 2097120 || pitch % PITCH_ALIGNMENT != 0) {
        return cudaErrorInvalidValue;
    }
    t->level = (struct texture_level){r->res.pitch2D.devPtr, pitch, pitch * height, (int)width,
                                      (int)height,           1};
    return cudaSuccess;
}

static cudaError_t use_resource(struct sim_texture *t, const struct cudaResourceDesc *r) {
    switch (r->resType) {
    case cudaResourceTypeArray:
        return use_array(t, r->res.array.array);
    case cudaResourceTypeLinear:
        return use_linear(t, r);
    case cudaResourceTypePitch2D:
        return use_pitched(t, r);
    }
    return cudaErrorInvalidValue;
}

static cudaError_t use_description(struct sim_texture *t, const struct cudaResourceDesc *r,
                                   const struct cudaTextureDesc *d) {
    bool integer = t->format != TEXEL_HALF && t->format != TEXEL_32;
    struct cudaChannelFormatDesc f = t->array              ? t->array->format
                                     : t->is_linear_memory ? r->res.linear.desc
                                                           : r->res.pitch2D.desc;
    bool word = t->format == TEXEL_32 && f.f != cudaChannelFormatKindFloat;
    bool as_float = d->readMode == cudaReadModeNormalizedFloat;
    bool linear = d->filterMode == cudaFilterModeLinear && !t->is_linear_memory;
    if ((unsigned)d->readMode > cudaReadModeNormalizedFloat ||
        (unsigned)d->filterMode > cudaFilterModeLinear) {
        return cudaErrorInvalidValue;
    }
    if (linear && (word || (integer && !as_float))) {
        return cudaErrorInvalidFilterSetting;
    }
    if (as_float && !integer) {
        return cudaErrorInvalidNormSetting;
    }
    for (int i = 0; i < 3; i++) {
        if ((unsigned)d->addressMode[i] > cudaAddressModeBorder) {
            return cudaErrorInvalidValue;
        }
        bool needs_normalised =
            d->addressMode[i] == cudaAddressModeWrap || d->addressMode[i] == cudaAddressModeMirror;
        t->address[i] =
            needs_normalised && !d->normalizedCoords ? cudaAddressModeClamp : d->addressMode[i];
    }
    t->normalised = d->normalizedCoords != 0;
    t->linear = d->filterMode == cudaFilterModeLinear && !t->is_linear_memory;
    t->seamless = d->seamlessCubemap != 0;
    t->format = as_float ? normalised(t->format, d->sRGB != 0) : t->format;
    texel_border(t, d->borderColor);
    return cudaSuccess;
}

/* Makes it known under a new number, its handle. */
static cudaError_t register_object(struct sim_texture t, unsigned long long *handle) {
    struct sim_texture *object = sim_texture_add(t.role, t.location);
    if (!object) {
        return cudaErrorMemoryAllocation;
    }
    t.number = object->number;
    *object = t;
    *handle = t.number;
    return cudaSuccess;
}

cudaError_t sim_create_texture(unsigned long long *handle, const struct cudaResourceDesc *resource,
                               const struct cudaTextureDesc *description,
                               struct sim_location location) {
    struct sim_texture t = {.role = TEXTURE_TEXTURE, .location = location};
    cudaError_t error = use_resource(&t, resource);
    if (error == cudaSuccess) {
        error = use_description(&t, resource, description);
    }
    return error == cudaSuccess ? register_object(t, handle) : error;
}

cudaError_t sim_create_surface(unsigned long long *handle, const struct cudaResourceDesc *resource,
                               struct sim_location location) {
    struct sim_texture t = {.role = TEXTURE_SURFACE, .location = location};
    cudaError_t error = resource->resType == cudaResourceTypeArray ? use_resource(&t, resource)
                                                                   : cudaErrorInvalidValue;
    if (error == cudaSuccess && !(t.array_flags & cudaArraySurfaceLoadStore)) {
        sim_report(&(struct sim_finding){
            .found = FOUND_SURFACE_FLAG, .severity = "note", .location = location});
    }
    return error == cudaSuccess ? register_object(t, handle) : error;
}
