/* From one case of the runner to one call of the student's function. */
#include "lab.h"
#include "runner/device_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One case, as it came from the runner: pointers of the host. */
struct job {
    const float *image, *mask;
    size_t image_bytes, mask_bytes;
    int width, height, radius;
    enum border border;
    float *out;
};

typedef cudaError_t on_device(const float *d_image, int width, int height, const float *d_mask,
                              int radius, enum border border, float *d_out);

/* Parts A and D: a kernel between device memory that is the case's. */
static void run_on_device(struct runner *r, const char *name, on_device *function,
                          const struct job *job) {
    struct device_case c = {.runner = r};
    const float *d_image = device_case_input(&c, "d_image", job->image, job->image_bytes);
    const float *d_mask = device_case_input(&c, "d_mask", job->mask, job->mask_bytes);
    float *d_out = device_case_output(&c, "d_out", job->image_bytes);

    if (!runner_failed(r)) {
        device_case_students_turn(&c);
        device_case_called(
            &c, name,
            function(d_image, job->width, job->height, d_mask, job->radius, job->border, d_out));
    }
    device_case_end(&c, d_out, job->out, job->image_bytes);
}

/* Part B. `first_one_pixel`: a call for one pixel and a mask of one coefficient comes before the
 * one that counts, so that sizes kept from the first call show. */
static void run_host(struct runner *r, const struct job *job, bool first_one_pixel) {
    struct device_case c = {.runner = r};
    float one;

    runner_calls_student();
    if (first_one_pixel) {
        device_case_called(&c, "correlate_host",
                           correlate_host(job->image, 1, 1, job->mask, 0, job->border, &one));
    }
    if (!runner_failed(r)) {
        device_case_students_turn(&c);
        device_case_called(&c, "correlate_host",
                           correlate_host(job->image, job->width, job->height, job->mask,
                                          job->radius, job->border, job->out));
    }
    device_case_end(&c, NULL, NULL, 0);
}

/* Did the function copy the image to the device from memory of that kind, and not from the caller's
 * memory? Only the simulator can say. Else what it did in place of that, for a message. */
static const char *not_staged(enum host_memory kind, const struct job *job) {
#ifdef CONVLABS_SIM
    static const enum sim_host_memory memory_of[] = {
        [HOST_PAGEABLE] = SIM_PAGEABLE,
        [HOST_PINNED] = SIM_PAGE_LOCKED,
        [HOST_WRITE_COMBINED] = SIM_WRITE_COMBINED,
    };
    const char *const image = (const char *)job->image;
    const struct sim_copied *copied;
    const unsigned count = sim_copied(&copied);
    size_t bytes = 0, of_others = 0;
    for (unsigned i = 0; i < count; i++) {
        const char *const from = copied[i].from;
        if (from >= image && from < image + job->image_bytes) {
            return "copied h_image itself to the device: copy it to the staging buffer, and that "
                   "buffer to the device";
        }
        *(copied[i].memory == memory_of[kind] ? &bytes : &of_others) += copied[i].bytes;
    }
    if (bytes + of_others < job->image_bytes) {
        return "copied fewer bytes to the device than the image has";
    }
    if (bytes < job->image_bytes) {
        static const char *const instead[] = {
            [HOST_PAGEABLE] = "copied the image to the device from another kind of memory: for "
                              "HOST_PAGEABLE the staging buffer comes from malloc()",
            [HOST_PINNED] = "copied the image to the device from another kind of memory: for "
                            "HOST_PINNED the staging buffer comes from cudaHostAlloc() with "
                            "cudaHostAllocDefault",
            [HOST_WRITE_COMBINED] =
                "copied the image to the device from another kind of memory: for "
                "HOST_WRITE_COMBINED the staging buffer comes from cudaHostAlloc() with "
                "cudaHostAllocWriteCombined",
        };
        return instead[kind];
    }
#else
    (void)kind;
    (void)job;
#endif
    return NULL;
}

static cudaError_t staged(int kind, const struct job *job) {
    return correlate_staged((enum host_memory)kind, job->image, job->width, job->height, job->mask,
                            job->radius, job->border, job->out);
}

/* Part C. `no_kind`: a kind of memory that must be refused before the call that counts; 0: none.
 * `only_that`: there is no other call. */
static void run_staged(struct runner *r, const struct job *job, enum host_memory kind, int no_kind,
                       bool only_that) {
    struct device_case c = {.runner = r};

    runner_calls_student();
    if (no_kind != 0) {
        device_case_must_refuse(&c, "correlate_staged", staged(no_kind, job), "kind", no_kind,
                                "which is not a kind of host memory");
    }
    if (!runner_failed(r) && !only_that) {
        device_case_students_turn(&c);
        const bool worked = device_case_called(&c, "correlate_staged", staged((int)kind, job));
        const char *const instead = worked ? not_staged(kind, job) : NULL;
        if (instead) {
            runner_fail(r, RUNNER_REJECTED, "correlate_staged() %s", instead);
        }
    }
    device_case_end(&c, NULL, NULL, 0);
}

static enum host_memory kind_of(const char *name) {
    if (strcmp(name, "pinned") == 0) {
        return HOST_PINNED;
    }
    return strcmp(name, "write-combined") == 0 ? HOST_WRITE_COMBINED : HOST_PAGEABLE;
}

/* Settings: border = zero | replicate; host_memory = pageable | pinned | write-combined (part C);
 * first = one pixel (part B) | another kind (part C): a call before the one that counts;
 * refuse = a kind of memory that part C must refuse, in the only call; size = WIDTHxHEIGHT (parts B
 * and C): the call gets the size of an image that no memory can hold, and must not reach the one
 * that there is. */
void lab_run(struct runner *r) {
    const struct npy *image = runner_input(r, "image", "<f4");
    const struct npy *mask = runner_input(r, "mask", "<f4");
    const char *part = runner_part(r), *first = runner_setting(r, "first", "");
    struct job job = {
        .image = image->data,
        .mask = mask->data,
        .image_bytes = image->bytes,
        .mask_bytes = mask->bytes,
        .width = image->shape[1],
        .height = image->shape[0],
        .radius = mask->shape[0] / 2,
        .border = runner_border(r),
        .out = runner_output(r, "out", image->bytes),
    };
    sscanf(runner_setting(r, "size", ""), "%dx%d", &job.width, &job.height);

    if (strcmp(part, "A") == 0) {
        run_on_device(r, "correlate_device", correlate_device, &job);
    } else if (strcmp(part, "B") == 0) {
        run_host(r, &job, strcmp(first, "one pixel") == 0);
    } else if (strcmp(part, "C") == 0) {
        const int refused = atoi(runner_setting(r, "refuse", "0"));
        run_staged(r, &job, kind_of(runner_setting(r, "host_memory", "pageable")),
                   strcmp(first, "another kind") == 0 ? HOST_WRITE_COMBINED + 1 : refused,
                   refused != 0);
    } else if (strcmp(part, "D") == 0) {
        run_on_device(r, "correlate_identical", correlate_identical, &job);
    } else if (strcmp(part, "baseline") == 0) {
        baseline_correlate(job.image, job.width, job.height, job.mask, job.radius, job.border,
                           job.out);
    } else {
        runner_no_such_part(r);
    }
}
