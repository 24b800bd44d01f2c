/* Check suite of labs/runtime/runner/steps.c and fence.c: sequences with drivers that behave and
 * misbehave, each played in a child process. */
#define main runner_main
#include "runner/runner.c"
#include "test_suite.h"
#undef main

#include "runner/fence.h"

#include <fenv.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/convlabs-steps-XXXXXX";
static char steps_file[80], data_file[80], results_file[80], status_file[80];
static void (*behaviour)(struct runner *r);

void lab_run(struct runner *r) {
    behaviour(r);
}

/* Of the last play, if there was one. */
static void remove_folder(void) {
    const char *files[] = {steps_file, data_file, results_file, status_file};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        unlink(files[i]);
    }
    rmdir(folder);
}

static void make_folder(void) {
    remove_folder();
    strcpy(strrchr(folder, '-'), "-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(steps_file, sizeof steps_file, "%s/steps", folder);
    snprintf(data_file, sizeof data_file, "%s/data", folder);
    snprintf(results_file, sizeof results_file, "%s/results", folder);
    snprintf(status_file, sizeof status_file, "%s/status", folder);
}

static void write_file(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
    ck_assert_int_eq(fclose(file), 0);
}

/* The whole file as a string. */
static const char *content(const char *path) {
    static char text[1 << 14];
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    const size_t size = fread(text, 1, sizeof text - 1, file);
    text[size] = '\0';
    fclose(file);
    return text;
}

/* Plays the steps with six floats 1..6 as data. Returns the wait status. */
static int play(const char *steps, void (*driver)(struct runner *r)) {
    const float data[] = {1, 2, 3, 4, 5, 6};
    make_folder();
    write_file(steps_file, steps, strlen(steps));
    write_file(data_file, data, sizeof data);
    behaviour = driver;
    const pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        char *argv[] = {"run",       "--steps",    steps_file, "--data",    data_file,
                        "--results", results_file, "--status", status_file, NULL};
        exit(runner_main(9, argv));
    }
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return status;
}

static void plays(const char *steps, void (*driver)(struct runner *r)) {
    const int status = play(steps, driver);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "wait status %d", status);
}

static void says(const char *text) {
    ck_assert_msg(strstr(content(status_file), text) != NULL, "no %s in %s", text,
                  content(status_file));
}

/* ---- drivers */

static void doubles(struct runner *r) {
    const struct npy *in = runner_input(r, "image", "<f4");
    float *out = runner_output(r, "out", in->bytes);
    const float times = (float)atof(runner_setting(r, "times", "2"));
    for (size_t i = 0; i < in->bytes / sizeof *out; i++)
        out[i] = times * ((const float *)in->data)[i];
}

static void fails_in_part_b(struct runner *r) {
    if (strcmp(runner_part(r), "B") == 0)
        runner_fail(r, 7, "f() returned 7");
    else
        doubles(r);
}

static void changes_input(struct runner *r) {
    ((float *)runner_input(r, "image", "<f4")->data)[1] = 9.0f;
}

/* With AddressSanitizer the pattern is poisoned: these must not end the program. */
#define NOT_SANITIZED __attribute__((no_sanitize("address")))

NOT_SANITIZED static void writes_before(struct runner *r) {
    ((volatile unsigned char *)runner_output(r, "out", 8))[-1] ^= 1;
}

NOT_SANITIZED static void reads_past_the_end(struct runner *r) {
    volatile float sum = ((volatile float *)runner_input(r, "image", "<f4")->data)[3];
    (void)sum;
}

NOT_SANITIZED static void reads_before_the_start(struct runner *r) {
    volatile float sum = ((volatile float *)runner_input(r, "image", "<f4")->data)[-1];
    (void)sum;
}

static void tells_addresses(struct runner *r) {
    runner_note_left(r, "%p %p", runner_input(r, "image", NULL)->data, runner_output(r, "out", 8));
}

static void tells_what_fails(struct runner *r) {
    int error;
    const int call = runner_failing_call(r, &error);
    runner_note_left(r, "call %d error %d hold %d", call, error, runner_holds(r));
    runner_note_failed_call(r, "cudaMalloc", 7);
}

/* ---- tests */

#define IN_2 "in image f4 1x2 "
#define OUT_2 "out out f4 1x2 "

TEST(each_step_has_its_inputs_settings_and_outputs) {
    plays("step A\n" IN_2 "0\n" OUT_2 "0\n"
          "step A\nset times 10 \n" IN_2 "16\n" OUT_2 "8\n",
          doubles);
    float result[4];
    FILE *file = fopen(results_file, "rb");
    ck_assert_uint_eq(fread(result, sizeof *result, 4, file), 4);
    fclose(file);
    ck_assert(result[0] == 2 && result[1] == 4 && result[2] == 50 && result[3] == 60);
    says("{\"step\":0,\"returned\":0,\"error\":\"\",\"guards\":\"intact\",\"changed\":\"\","
         "\"failed_call\":\"\",\"failed_line\":0,\"left\":\"\"}\n{\"step\":1,");
}

TEST(a_failure_is_that_of_its_step_alone) {
    plays("step A\n" IN_2 "0\n" OUT_2 "0\nstep B\nstep A\n" IN_2 "0\n" OUT_2 "8\n",
          fails_in_part_b);
    says("{\"step\":0,\"returned\":0,");
    says("{\"step\":1,\"returned\":7,\"error\":\"f() returned 7\"");
    says("{\"step\":2,\"returned\":0,\"error\":\"\"");
}

TEST(a_changed_input_is_named) {
    plays("step A\n" IN_2 "0\n", changes_input);
    says("\"changed\":\"image\"");
}

TEST(write_beside_an_array_is_reported) {
    plays("step A\n" OUT_2 "0\n", writes_before);
    says("\"guards\":\"written before\"");
}

/* An array ends where a forbidden page begins, whatever the number of its elements. */
TEST(a_read_past_the_end_faults) {
    const int status = play("step A\nin image f4 1x3 0\n", reads_past_the_end);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
    says("{\"step\":0,\"fault\":\"read memory past the end of image\"}");
}

TEST(a_read_before_the_start_faults) {
    const int status =
        play("step A\nplace start start\nin image f4 1x4 0\n", reads_before_the_start);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
    says("read memory before the beginning of image");
}

TEST(outputs_have_a_place_of_their_own) {
    const int status = play("step A\nplace end start\n" OUT_2 "0\n", writes_before);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
    says("memory before the beginning of out");
}

TEST(a_write_to_a_read_only_input_faults) {
    const int status = play("step A\nread-only\n" IN_2 "0\n", changes_input);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
    says("wrote to the input image");
}

/* The same addresses where the step before holds them and the sizes are the same. */
TEST(held_arrays_stay_where_they_are) {
    plays("step A\nhold\n" IN_2 "0\n" OUT_2 "0\nstep A\n" IN_2 "8\n" OUT_2 "8\n"
          "step A\n" IN_2 "8\n" OUT_2 "8\n",
          tells_addresses);
    char *first = strstr(content(status_file), "\"left\":"), *second, *third;
    char one[80], two[80], three[80];
    ck_assert_int_eq(sscanf(first, "\"left\":\"%79[^\"]", one), 1);
    second = strstr(first + 1, "\"left\":");
    ck_assert_int_eq(sscanf(second, "\"left\":\"%79[^\"]", two), 1);
    third = strstr(second + 1, "\"left\":");
    ck_assert_int_eq(sscanf(third, "\"left\":\"%79[^\"]", three), 1);
    ck_assert_str_eq(one, two);
}

TEST(the_failing_call_reaches_the_driver) {
    plays("step A\nfail 3 214\n", tells_what_fails);
    says("\"failed_call\":\"cudaMalloc\",\"failed_line\":7,\"left\":\"call 3 error 214 hold 0\"");
}

TEST(malformed_file_is_the_graders_fault) {
    static const char *const wrong[] = {
        "in image f4 1x2 0\n",
        "step A\nnonsense\n",
        "step A\nin image f4 1x2 24\n",
        "step A\nin image f4 1x2 -8\n",
        "step A\nin image f4 9x9 0\n",
        "step A\nin image q9 1x2 0\n",
        "step A\nout out f4 1x2\n",
        "step A\nfail x y\n",
        "step A",
        "step A\nin image f4 1x2 99999999999999999999\n",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const int status = play(wrong[i], doubles);
        ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 2, "%s: status %d", wrong[i],
                      status);
    }
}

static void rounds_upwards(struct runner *r) {
    doubles(r);
    fesetround(FE_UPWARD);
}

TEST(changed_floating_point_mode_is_reported_and_reset) {
    plays("step A\nin image f4 1x2 0\nout out f4 1x2 0\n", doubles);
    ck_assert_ptr_null(strstr(content(status_file), "floating-point"));
    plays("step A\nin image f4 1x2 0\nout out f4 1x2 0\n", rounds_upwards);
    says("\"left\":\"another floating-point mode");
    plays("step A\nin image f4 1x2 0\nout out f4 1x2 0\nset times 0.1\n"
          "step B\nin image f4 1x2 0\nout out f4 1x2 8\nset times 0.1\n",
          rounds_upwards);
    FILE *file = fopen(results_file, "rb");
    float results[4];
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fread(results, sizeof *results, 4, file), 4);
    fclose(file);
    ck_assert(results[0] == results[2] && results[1] == results[3]);
}

static void sees_odd_addresses(struct runner *r) {
    const struct npy *in = runner_input(r, "image", "<f4");
    ck_assert_uint_eq((uintptr_t)in->data % 16, 4);
    ck_assert_uint_eq((uintptr_t)runner_output(r, "out", in->bytes) % 16, 4);
    doubles(r);
}

TEST(shifted_arrays_begin_an_element_later_and_keep_both_guards) {
    const char *steps = "step A\nplace start start\nshift 4\nin image f4 1x2 0\n"
                        "out out f4 1x2 0\n";
    plays(steps, sees_odd_addresses);
    says("\"guards\":\"intact\"");
    plays(steps, writes_before);
    says("\"guards\":\"written before\"");
}

TEST(fences_of_any_size_have_both_ends) {
    for (size_t bytes = 0; bytes < 9000; bytes += bytes < 70 ? 1 : 997) {
        for (int at_end = 0; at_end < 2; at_end++) {
            struct fence fence = fence_make(bytes, 16, at_end);
            memset(fence.data, 0x5a, bytes);
            ck_assert(!fence_broken_before(&fence) && !fence_broken_after(&fence));
            ck_assert_uint_eq((uintptr_t)fence.data % 16, 0);
            fence_remove(&fence);
            fence_remove(&fence);
        }
    }
}

SUITE_BETWEEN("runner: steps", NULL, remove_folder)
