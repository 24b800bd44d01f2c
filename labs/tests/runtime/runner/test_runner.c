/* Check suite of labs/runtime/runner/runner.c: the whole program with drivers that behave and
 * misbehave.
 *
 * The runner's main() is taken in under another name and run in a child process. */
#define main runner_main
#include "runner/runner.c"
#include "test_suite.h"
#undef main

#include <fcntl.h>
#include <math.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/convlabs-runner-XXXXXX";
static char input[80], output[80], status_file[80], picture[80];

/* ---------------------------------------------------------------- the driver under test */

static void (*behaviour)(struct runner *r);

void lab_run(struct runner *r) {
    behaviour(r);
}

static void doubles(struct runner *r) {
    const struct npy *in = runner_input(r, "image", "<f4");
    if (runner_input(r, "image", NULL) != in)
        runner_fail(r, RUNNER_REJECTED, "another image");
    float *out = runner_output(r, "out", in->bytes);
    for (size_t i = 0; i < in->bytes / sizeof *out; i++)
        out[i] = 2.0f * ((const float *)in->data)[i];
}

static void fails(struct runner *r) {
    if (!runner_failed(r))
        runner_fail(r, 9, "f() returned an \"error\" with \\ and %c", '\n');
    if (runner_failed(r))
        runner_fail(r, 10, "a consequence");
}

/* With AddressSanitizer the guard zones are poisoned: these writes must not end the program. */
#define NOT_SANITIZED __attribute__((no_sanitize("address")))

NOT_SANITIZED static void writes_before(struct runner *r) {
    ((unsigned char *)runner_output(r, "out", 24))[-1] ^= 1;
}

NOT_SANITIZED static void writes_after(struct runner *r) {
    ((float *)runner_output(r, "out", 24))[6] = 0.0f;
}

NOT_SANITIZED static void writes_around(struct runner *r) {
    volatile unsigned char *out = runner_output(r, "out", 24); /* no memset(): ASan has its own */
    for (int i = 0; i < 4096; i++) {
        out[i - 4096] = out[24 + i] = 0xff;
    }
}

/* Where a loop with too large a step comes to, beyond the guard zones, nobody can write. */
static void writes_far(struct runner *r) {
    unsigned char *out = runner_output(r, "out", 24);
    const int zeros = open("/dev/zero", O_RDONLY);
    if (read(zeros, out + 16384, 1) != -1 || read(zeros, out - 8192, 1) != -1)
        our_fault("there was memory around the output");
    close(zeros);
}

static void checks_settings(struct runner *r) {
    const char *border = runner_setting(r, "border", "none");
    const char *memory = runner_setting(r, "host_memory", "pageable");
    const float *out = runner_output(r, "out", 24);
    bool poisoned = true;
    for (int i = 0; i < 6; i++) { /* a NaN, and a signalling one, which no arithmetic leaves */
        uint32_t word;
        memcpy(&word, &out[i], sizeof word);
        poisoned = poisoned && isnan(out[i]) && word == 0xffb5c3a7u;
    }
    if (strcmp(border, "zero") != 0 || runner_border(r) != BORDER_ZERO ||
        strcmp(memory, "pageable") != 0 || !poisoned || strcmp(runner_part(r), "A") != 0 ||
        (size_t)out % 4096 != 0)
        runner_fail(r, RUNNER_REJECTED, "a setting, the part or the output is wrong");
}

static void wants_doubles(struct runner *r) {
    runner_input(r, "image", "<f8");
}

static void wants_more_room(struct runner *r) {
    runner_output(r, "out", 25);
}

static void wants_a_mask(struct runner *r) {
    runner_input(r, "mask", "<f4");
}

static void wants_another_output(struct runner *r) {
    runner_output(r, "edges", 24);
}

static void knows_no_part(struct runner *r) {
    runner_no_such_part(r);
}

static void exits_early(struct runner *r) {
    (void)r;
    exit(0);
}

/* ---------------------------------------------------------------- running it */

static char printed[4096];

/* Runs the program with `arguments`, ended by NULL. Returns its exit status; its stderr is in
 * `printed`. */
static int run(void (*driver)(struct runner *), const char *const *arguments) {
    int stream[2];
    ck_assert_int_eq(pipe(stream), 0);
    pid_t child = fork();
    if (child == 0) {
        static char words[32][256];
        char *argv[33] = {"run"};
        int argc = 1;
        for (; arguments[argc - 1]; argc++)
            argv[argc] = strncpy(words[argc], arguments[argc - 1], sizeof words[0] - 1);
        dup2(stream[1], STDERR_FILENO);
        behaviour = driver;
        exit(runner_main(argc, argv));
    }
    close(stream[1]);
    size_t n = 0;
    for (ssize_t got; (got = read(stream[0], printed + n, sizeof printed - 1 - n)) > 0;)
        n += (size_t)got;
    printed[n] = '\0';
    close(stream[0]);
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFEXITED(status), "died by signal %d: %s", WTERMSIG(status), printed);
    return WEXITSTATUS(status);
}

#define RUN(driver, ...) run(driver, (const char *const[]){__VA_ARGS__, NULL})

/* A contents check of a small file. */
static const char *contents(const char *path) {
    static char text[512];
    unsigned char *data;
    size_t bytes;
    ck_assert_msg(file_read(path, sizeof text - 1, &data, &bytes, text, sizeof text) == 0, "%s",
                  text);
    memcpy(text, data, bytes);
    text[bytes] = '\0';
    free(data);
    return text;
}

static char in_arg[96], out_arg[112];

static void set_up(void) {
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(input, sizeof input, "%s/in.npy", folder);
    snprintf(output, sizeof output, "%s/out:1.raw", folder);
    snprintf(status_file, sizeof status_file, "%s/status", folder);
    snprintf(picture, sizeof picture, "%s/p.PNG", folder);
    snprintf(in_arg, sizeof in_arg, "image=%s", input);
    snprintf(out_arg, sizeof out_arg, "out=%s:f4:2x3", output);
    float data[6] = {0, 1, 2, 3, 4, 5};
    char error[256];
    static const char head[] = "\x93NUMPY\1\0\x3c\0"
                               "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n";
    ck_assert_int_eq(
        file_write(input, head, sizeof head - 1, data, sizeof data, error, sizeof error), 0);
}

static void tear_down(void) {
    unlink(input);
    unlink(output);
    unlink(status_file);
    unlink(picture);
    rmdir(folder);
    strcpy(folder + strlen(folder) - 6, "XXXXXX");
}

/* ---------------------------------------------------------------- tests */

TEST(inputs_to_outputs) {
    ck_assert_msg(
        RUN(doubles, "--part", "A", "--in", in_arg, "--out", out_arg, "--status", status_file) == 0,
        "%s", printed);
    ck_assert_str_eq(printed, "");
    ck_assert_str_eq(contents(status_file), "{\"completed\":true,\"returned\":0,\"error\":\"\","
                                            "\"outputs\":[{\"name\":\"out\",\"guards\":"
                                            "\"intact\"}]}\n");
    static const float want[6] = {0, 2, 4, 6, 8, 10};
    struct stat st;
    ck_assert_int_eq(stat(output, &st), 0);
    ck_assert_int_eq(st.st_size, sizeof want);
    ck_assert_mem_eq(contents(output), want, sizeof want);
}

TEST(the_first_failure_counts_and_is_escaped) {
    ck_assert_int_eq(RUN(fails, "--part", "A", "--status", status_file), 0);
    ck_assert_str_eq(contents(status_file),
                     "{\"completed\":true,\"returned\":9,\"error\":"
                     "\"f() returned an \\\"error\\\" with \\\\ and ?\",\"outputs\":[]}\n");
}

LOOP_TEST(writes_outside_the_output_are_seen, 0, 4) {
    static const struct {
        void (*driver)(struct runner *);
        const char *guards;
    } cases[] = {{writes_before, "\"written before\""},
                 {writes_after, "\"written after\""},
                 {writes_around, "\"written before and after\""},
                 {writes_far, "\"intact\""}};
    ck_assert_int_eq(
        RUN(cases[_i].driver, "--part", "A", "--out", out_arg, "--status", status_file), 0);
    ck_assert_msg(strstr(contents(status_file), cases[_i].guards) != NULL, "%s",
                  contents(status_file));
}

TEST(settings_part_poison_and_alignment) {
    ck_assert_int_eq(RUN(checks_settings, "--set", "border=zero", "--part", "A", "--out", out_arg,
                         "--status", status_file),
                     0);
    ck_assert_ptr_nonnull(strstr(contents(status_file), "\"returned\":0"));
    ck_assert_mem_eq(contents(output), "\xa7\xc3\xb5\xff", 4);
}

TEST(pictures_in_and_out) {
    char error[256], arg[112];
    float f[6] = {0, 51, 102, 153, 204, 255};
    ck_assert_int_eq(image_write(picture, f, 3, 2, error, sizeof error), 0);
    snprintf(arg, sizeof arg, "image=%s", picture);
    ck_assert_msg(RUN(doubles, "--part", "A", "--in", arg, "--out", out_arg) == 0, "%s", printed);
    float out[6];
    memcpy(out, contents(output), sizeof out);
    for (int i = 0; i < 6; i++)
        ck_assert_float_eq(out[i], 2.0f * (f[i] / 255.0f));
    snprintf(arg, sizeof arg, "out=%s:f4:2x3", picture);
    ck_assert_int_eq(RUN(doubles, "--part", "A", "--in", in_arg, "--out", arg), 0);
    ck_assert_mem_eq(contents(picture), "\x89PNG", 4);
}

/* An output that nobody wants is not filled. */
static void checks_repeated(struct runner *r) {
    const struct npy *in = runner_input(r, "image", "<f4");
    const float *out = runner_output(r, "out", 6 * sizeof *out), *pixels = in->data;
    bool right = in->shape[0] == 5 && in->bytes == 15 * sizeof *pixels && out[0] == 0.0f;
    for (int i = 0; right && i < 15; i++)
        right = pixels[i] == (float)(i % 6);
    if (!right || !runner_repeated(r, pixels) || runner_keeps_output(r))
        runner_fail(r, RUNNER_REJECTED, "wrong");
}

TEST(an_input_repeats_its_rows) {
    ck_assert_msg(RUN(checks_repeated, "--part", "A", "--in", in_arg, "--repeat", "image=5x3",
                      "--out", "out=-:f4:2x3", "--status", status_file) == 0,
                  "%s", printed);
    ck_assert_ptr_nonnull(strstr(contents(status_file), "\"returned\":0"));
    ck_assert_int_eq(RUN(fails, "--part", "A", "--in", in_arg, "--repeat", "image=1x3"), 2);
    ck_assert_ptr_nonnull(strstr(printed, "cannot be repeated to 1x3"));
    ck_assert_int_eq(RUN(fails, "--part", "A", "--repeat", "image=5x3"), 2);
    ck_assert_ptr_nonnull(strstr(printed, "comes after --in image=FILE"));
    ck_assert_int_eq(RUN(fails, "--part", "A", "--in", in_arg, "--repeat", "image=5:3"), 2);
    ck_assert_ptr_nonnull(strstr(printed, "needs a shape"));
}

TEST(usage_errors) {
    static const struct {
        const char *arguments[5];
        const char *why;
    } wrong[] = {
        {{NULL}, "--part is missing"},
        {{"--part"}, "--part needs a value"},
        {{"--judge", "yes"}, "unknown option '--judge'"},
        {{"--part", "A", "--in", "image"}, "--in needs NAME="},
        {{"--part", "A", "--in", "=x"}, "--in needs NAME="},
        {{"--part", "A", "--in", "a\"b=x"}, "letters, digits and _ only"},
        {{"--part", "A", "--in", "image=/nonexistent.npy"}, "No such file"},
        {{"--part", "A", "--in", "image=/nonexistent.png"}, "No such file"},
        {{"--set", "a=1", "--set", "a=2"}, "given twice"},
        {{"--part", "A", "--out", "out=x.raw"}, "needs FILE:TYPE:SHAPE"},
        {{"--part", "A", "--out", "out=:f4:2x3"}, "needs FILE:TYPE:SHAPE"},
        {{"--part", "A", "--out", "out=x:f2:2x3"}, "is not a type"},
        {{"--part", "A", "--out", "out=x:f4:2x"}, "is not a type"},
        {{"--part", "A", "--out", "out=x:f4:-2x3"}, "is not a type"},
        {{"--part", "A", "--out", "out=x:f4:1x1x1x1x1"}, "is not a type"},
        {{"--part", "A", "--out", "out=x:f8:999999999x999999999"}, "is not a type"},
        {{"--part", "A", "--out", "out=x:f4:18446744073709551617"}, "is not a type"},
        {{"--part", "A", "--out", "out=x.png:u1:2x3"}, "a picture is written from f4"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        ck_assert_int_eq(run(fails, wrong[i].arguments), 2);
        ck_assert_msg(strstr(printed, wrong[i].why) != NULL, "%s, not: %s", printed, wrong[i].why);
        ck_assert_ptr_nonnull(strstr(printed, "runner: "));
    }
}

LOOP_TEST(missing_or_wrong_inputs_are_reported, 0, 5) {
    static const struct {
        void (*driver)(struct runner *);
        const char *why;
    } cases[] = {{wants_doubles, "elements of type <f4, but <f8 is needed"},
                 {wants_more_room, "room for 24 bytes, but 25 are needed"},
                 {wants_a_mask, "the input mask is missing"},
                 {wants_another_output, "the output edges is missing"},
                 {knows_no_part, "the lab has no part 'A'"}};
    ck_assert_int_eq(RUN(cases[_i].driver, "--part", "A", "--in", in_arg, "--out", out_arg,
                         "--status", status_file),
                     2);
    ck_assert_msg(strstr(printed, cases[_i].why) != NULL, "%s", printed);
    ck_assert_int_eq(access(status_file, F_OK), -1);
    ck_assert_int_eq(access(output, F_OK), -1);
}

TEST(a_driver_that_exits_leaves_no_status) {
    ck_assert_int_eq(RUN(exits_early, "--part", "A", "--out", out_arg, "--status", status_file), 0);
    ck_assert_int_eq(access(status_file, F_OK), -1);
    ck_assert_int_eq(access(output, F_OK), -1);
}

TEST(links_are_not_followed) {
    ck_assert_int_eq(symlink(input, output), 0);
    ck_assert_int_eq(
        RUN(doubles, "--part", "A", "--in", in_arg, "--out", out_arg, "--status", status_file), 2);
    ck_assert_ptr_nonnull(strstr(printed, "is a link"));
    ck_assert_int_eq(access(status_file, F_OK), -1);
    ck_assert_mem_eq(contents(input), "\x93NUMPY", 6);
}

TEST(an_older_and_longer_output_is_replaced) {
    char old[100] = {0}, error[256];
    ck_assert_int_eq(file_write(output, old, sizeof old, NULL, 0, error, sizeof error), 0);
    ck_assert_int_eq(RUN(doubles, "--part", "A", "--in", in_arg, "--out", out_arg), 0);
    struct stat st;
    ck_assert_int_eq(stat(output, &st), 0);
    ck_assert_int_eq(st.st_size, 24);
}

SUITE_BETWEEN("runner", set_up, tear_down)
