"""Races between OpenMP's threads: right programs in several styles, and wrong ones by their lines.

Each runs under the check with 3 threads. A line with `RACE` is one that must be named; a program
without one must be found right, and give 5050, the sum of 1 to 100. What the threads of a team did
is the same in every run.
"""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from grader import paths
from grader.compile.permitted import symbol_rules
from grader.execute import addr2line, evidence, openmp_team, records
from grader.tests import captured
from labs.sim.translate import machine_accesses

HEAD = """
#include <immintrin.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
void evidence_end(void);
static int a[100], total;
"""
MAIN = """
int main(void) {
    omp_set_num_threads(3);
    run();
    for (int i = 0; i < 100; i++) total += a[i];
    printf("%d\\n", total);
    evidence_end();
    return 0;
}
"""
RIGHT = {
    "stores past the caches, each thread's own": """
#pragma omp parallel for schedule(static, 4)
    for (int i = 0; i < 100; i++) _mm_stream_si32(a + i, i + 1);
    _mm_sfence();""",
    "chosen bytes beside those of another thread": """
#pragma omp parallel for schedule(static, 1)
    for (int i = 0; i < 96; i++) {
        const int at = i / 4 * 4;
        const __m128i lane = _mm_setr_epi32(at, at + 1, at + 2, at + 3);
        const __m128i one = _mm_cmpeq_epi32(lane, _mm_set1_epi32(i));
        _mm_maskmoveu_si128(_mm_add_epi32(lane, _mm_set1_epi32(1)), one, (char *)(a + at));
    }
    for (int i = 96; i < 100; i++) a[i] = i + 1;""",
    "halves of registers, and prefetched ones": """
#pragma omp parallel for schedule(static, 1)
    for (int i = 0; i < 100; i += 2) {
        _mm_prefetch((const char *)(a + i + 2), _MM_HINT_T0);
        const __m128i two = _mm_setr_epi32(0, 0, i + 1, i + 2);
        _mm_storeh_pi((__m64 *)(a + i), _mm_castsi128_ps(two));
    }""",
    "static": """
#pragma omp parallel for
    for (int i = 0; i < 100; i++) a[i] = i + 1;""",
    "dynamic, of size_t": """
#pragma omp parallel for schedule(dynamic, 3)
    for (size_t i = 0; i < 100; i++) a[i] = (int)i + 1;""",
    "guided, downwards": """
#pragma omp parallel for schedule(guided)
    for (int i = 99; i >= 0; i--) a[i] = i + 1;""",
    "runtime": """
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < 100; i++) a[i] = i + 1;""",
    "collapse": """
#pragma omp parallel for collapse(2)
    for (int y = 0; y < 10; y++) for (int x = 0; x < 10; x++) a[10 * y + x] = 10 * y + x + 1;""",
    "private": """
    int t;
#pragma omp parallel for private(t)
    for (int i = 0; i < 100; i++) { t = i; a[i] = t + 1; }""",
    "firstprivate, lastprivate": """
    int one = 1, last = 0;
#pragma omp parallel for firstprivate(one) lastprivate(last)
    for (int i = 0; i < 100; i++) { a[i] = i + one; last = i; }
    total += last - 99;""",
    "reduction": """
    int sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 1; i <= 100; i++) sum += i;
    a[0] = sum;""",
    "critical": """
#pragma omp parallel for
    for (int i = 1; i <= 100; i++)
#pragma omp critical
        total += i;""",
    "atomic": """
#pragma omp parallel for
    for (int i = 1; i <= 100; i++)
#pragma omp atomic
        total += i;""",
    "atomic float": """
    float sum = 0;
#pragma omp parallel for
    for (int i = 1; i <= 100; i++)
#pragma omp atomic
        sum += i;
    a[0] = (int)sum;""",
    "lock": """
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel for
    for (int i = 1; i <= 100; i++) { omp_set_lock(&lock); total += i; omp_unset_lock(&lock); }
    omp_destroy_lock(&lock);""",
    "barrier of a loop": """
    int half[100];
#pragma omp parallel
    {
#pragma omp for
        for (int i = 0; i < 100; i++) half[i] = i;
#pragma omp for
        for (int i = 0; i < 100; i++) a[i] = half[99 - i] + 1;
    }""",
    "barrier by hand": """
    int first[64];
#pragma omp parallel
    {
        const int me = omp_get_thread_num(), all = omp_get_num_threads();
        first[me] = 100 * me / all;
#pragma omp barrier
        const int end = me + 1 < all ? first[me + 1] : 100;
        for (int i = first[me]; i < end; i++) a[i] = i + 1;
    }""",
    "single": """
    int one = 0;
#pragma omp parallel
    {
#pragma omp single
        one = 1;
#pragma omp for
        for (int i = 0; i < 100; i++) a[i] = i + one;
    }""",
    "master and a barrier": """
    int one = 0;
#pragma omp parallel
    {
#pragma omp master
        one = 1;
#pragma omp barrier
#pragma omp for
        for (int i = 0; i < 100; i++) a[i] = i + one;
    }""",
    "sections": """
#pragma omp parallel sections
    {
        for (int i = 0; i < 50; i++) a[i] = i + 1;
#pragma omp section
        for (int i = 50; i < 100; i++) a[i] = i + 1;
    }""",
    "a buffer of each thread's own": """
#pragma omp parallel for
    for (int i = 0; i < 100; i++) {
        int *own = malloc(64 * sizeof *own);
        memset(own, 0, 64 * sizeof *own);
        own[i % 64] = i;
        a[i] = own[i % 64] + 1;
        free(own);
    }""",
    "threadprivate": """
    static int mine;
#pragma omp threadprivate(mine)
#pragma omp parallel for
    for (int i = 0; i < 100; i++) { mine = i; a[i] = mine + 1; }""",
    "a function's array": """
#pragma omp parallel for
    for (int i = 0; i < 100; i++) { int row[i + 1]; row[i] = i; a[i] = row[i] + 1; }""",
    "two regions": """
#pragma omp parallel for
    for (int i = 0; i < 100; i++) a[i] = i;
#pragma omp parallel for schedule(dynamic)
    for (int i = 99; i >= 0; i--) a[i]++;""",
    "a region within a region": """
#pragma omp parallel for
    for (int y = 0; y < 10; y++)
#pragma omp parallel for schedule(dynamic)
        for (int x = 0; x < 10; x++) a[10 * y + x] = 10 * y + x + 1;""",
    "nowait between strangers": """
    int b[100];
#pragma omp parallel
    {
#pragma omp for nowait
        for (int i = 0; i < 100; i++) a[i] = i + 1;
#pragma omp for
        for (int i = 0; i < 100; i++) b[i] = 1;
    }
    total += b[7] - 1;""",
    "as many as are asked for": """
#pragma omp parallel for num_threads(7)
    for (int i = 0; i < 100; i++) a[i] = i + 1;""",
    "a loop outside of any region": """
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 100; i++) a[i] = i + 1;""",
    "neighbouring bytes": """
    static char byte[100];
#pragma omp parallel for schedule(static, 1)
    for (int i = 0; i < 100; i++) byte[i] = (char)(i + 1);
    for (int i = 0; i < 100; i++) a[i] = byte[i];""",
    "tasks by one": """
#pragma omp parallel
#pragma omp single
    for (int y = 0; y < 10; y++)
#pragma omp task
        for (int x = 0; x < 10; x++) a[10 * y + x] = 10 * y + x + 1;""",
    "tasks by all, and what the creator wrote before": """
    int first[10];
#pragma omp parallel for schedule(dynamic)
    for (int y = 0; y < 10; y++) {
        first[y] = 10 * y;
#pragma omp task firstprivate(y)
        for (int x = 0, *p = first; x < 10; x++) a[p[y] + x] = p[y] + x + 1;
    }""",
    "a task's result, waited for": """
    int half[100];
#pragma omp parallel
#pragma omp masked
    {
        for (int i = 0; i < 100; i += 25)
#pragma omp task
            for (int k = i; k < i + 25; k++) half[k] = k;
#pragma omp taskwait
        for (int i = 0; i < 100; i += 25)
#pragma omp task
            for (int k = i; k < i + 25; k++) a[k] = half[99 - k] + 1;
    }
    for (int i = 0; i < 50; i++) { int t = a[i]; a[i] = a[99 - i]; a[99 - i] = t; }""",
    "recursion, each half of its own": """
    void fill(int from, int to) {
        if (to - from < 8) { for (int i = from; i < to; i++) a[i] = i + 1; return; }
        int halves[2] = {0, 0};
#pragma omp task shared(halves)
        { fill(from, (from + to) / 2); halves[0] = 1; }
#pragma omp task shared(halves) if (to - from > 30)
        { fill((from + to) / 2, to); halves[1] = 1; }
#pragma omp taskwait
        if (halves[0] + halves[1] != 2) abort();
    }
#pragma omp parallel
#pragma omp single nowait
    fill(0, 100);""",
    "taskloop": """
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskloop grainsize(7)
        for (int i = 99; i >= 0; i -= 3) a[i] = 1;
        for (int i = 0; i < 100; i++) a[i] += i + (a[i] == 0);
    }""",
    "a group around tasks of tasks": """
    int b[100];
#pragma omp parallel master
    {
#pragma omp taskgroup
        for (int y = 0; y < 10; y++)
#pragma omp task
            for (int x = 0; x < 10; x++)
#pragma omp task
                b[10 * y + x] = 10 * y + x;
        for (int i = 0; i < 100; i++) a[i] = b[i] + 1;
    }""",
    "a chain of dependences": """
    int row[100];
#pragma omp parallel
#pragma omp single
    for (int y = 0; y < 10; y++) {
#pragma omp task depend(out : row)
        for (int x = 0; x < 100; x++) row[x] = 10 * y + x;
        for (int x = 0; x < 10; x += 5)
#pragma omp task depend(in : row)
            for (int k = x; k < x + 5; k++) a[10 * y + k] = row[k] + 1;
    }""",
    "memory by the thread's number": """
    int own[3][10];
#pragma omp parallel
#pragma omp single
    for (int y = 0; y < 10; y++)
#pragma omp task
    {
        int *mine = own[omp_get_thread_num()];
        for (int x = 0; x < 10; x++) mine[x] = 10 * y + x;
        for (int x = 0; x < 10; x++) a[10 * y + x] = mine[x] + 1;
    }""",
    "tasks with large rows on their stacks": """
    int sum(int y, int n) { int row[n]; for (int i = 0; i < n; i++) row[i] = y; return row[n - 1]; }
#pragma omp parallel
#pragma omp single
    for (int y = 0; y < 100; y++)
#pragma omp task
    {
        int at = 0, *p = &at;
#pragma omp task shared(at)
        *p = sum(y, 40 + y % 7 * 30);
#pragma omp taskwait
        a[y] = at + sum(1, 500 - y);
    }""",
    "a sum of tasks, atomic": """
#pragma omp parallel
#pragma omp single
    for (int i = 1; i <= 100; i++)
#pragma omp task
#pragma omp atomic
        total += i;""",
    "more tasks than are kept": """
#pragma omp parallel
#pragma omp single
    for (int k = 0; k < 40000; k++)
#pragma omp task
        if (k < 100) a[k] = k + 1;""",
    "final tasks": """
#pragma omp parallel sections
    {
#pragma omp section
        for (int i = 0; i < 100; i++)
#pragma omp task final(i > 50) mergeable
            a[i] = i + 1;
#pragma omp section
        total += 0;
    }""",
    "ordered": """
    int next = 0;
#pragma omp parallel for ordered schedule(dynamic, 3)
    for (int i = 0; i < 100; i++) {
        int mine = i + 1;
#pragma omp ordered
        a[next++] = mine;
    }
    for (int i = 0; i < 100; i++) total += a[i] == i + 1 ? 0 : 1000;""",
    "copyprivate": """
#pragma omp parallel
    {
        int one;
#pragma omp single copyprivate(one)
        one = 1;
#pragma omp for
        for (int i = 0; i < 100; i++) a[i] = i + one;
    }""",
    "locks that nest": """
    omp_nest_lock_t lock;
    omp_init_nest_lock(&lock);
#pragma omp parallel for
    for (int i = 1; i <= 100; i++) {
        omp_set_nest_lock(&lock);
        if (omp_test_nest_lock(&lock) == 2) total += i;
        omp_unset_nest_lock(&lock);
        omp_unset_nest_lock(&lock);
    }
    omp_destroy_nest_lock(&lock);""",
    "very many tasks": """
    static char wide[30000];
#pragma omp parallel
#pragma omp single
    for (int k = 0; k < 30000; k++)
#pragma omp task
        wide[k] = 1;
    for (int i = 0; i < 100; i++) a[i] = i + wide[300 * i];""",
    "a task that is never reached": """
    for (int i = 0; i < 100; i++) a[i] = i + 1;
    if (a[0] == 2) {
#pragma omp parallel
#pragma omp task
        a[1] = 2;
    }""",
    "one task alone": """
#pragma omp parallel
#pragma omp single
#pragma omp task
    for (int i = 0; i < 100; i++) a[i] = i + 1;""",
    "a counter of the work, atomic": """
    int next = 0;
#pragma omp parallel shared(next)
    for (;;) {
        int i;
#pragma omp atomic capture
        i = next++;
        if (i >= 100) break;
        a[i] = i + 1;
    }""",
    "a counter of the work, locked": """
    int next = 0;
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel
    for (int i = 0; i < 100;) {
        omp_set_lock(&lock);
        i = next++;
        omp_unset_lock(&lock);
        if (i < 100) a[i] = i + 1;
    }
    omp_destroy_lock(&lock);""",
    "a counter of the work, in a critical section": """
    int next = 0;
#pragma omp parallel
    for (int i = 0; i < 100;) {
#pragma omp critical(queue)
        i = next++;
        if (i < 100) a[i] = i + 1;
    }""",
    "a thread that waits for another one's flag": """
    int ready = 0;
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 1) {
        for (int i = 0; i < 50; i++) a[i] = i + 1;
#pragma omp atomic write
        ready = 1;
    } else {
        for (int seen = 0; !seen;) {
#pragma omp atomic read
            seen = ready;
        }
        for (int i = 50; i < 100; i++) a[i] = i + 1;
    }""",
    "very many atomic accesses": """
    int count = 0;
#pragma omp parallel for
    for (int i = 0; i < 100; i++) {
        for (int j = 0; j < 3000; j++) {
#pragma omp atomic
            count++;
        }
        a[i] = i + 1;
    }""",
    "chunks for two of three threads": """
#pragma omp parallel for schedule(dynamic, 60)
    for (int i = 0; i < 100; i++) a[i] = i + 1;""",
    "a region within a region of one": """
#pragma omp parallel num_threads(1)
#pragma omp parallel for
    for (int i = 0; i < 100; i++) a[i] = i + 1;""",
    "an if() that is true": """
#pragma omp parallel for if (sizeof a > 64)
    for (int i = 0; i < 100; i++) a[i] = i + 1;""",
    "a table by one, a loop by all": """
    int table[1000];
#pragma omp parallel
    {
#pragma omp single
        for (int i = 0; i < 1000; i++) table[i] = i;
#pragma omp for
        for (int i = 0; i < 100; i++) a[i] = table[i] + 1;
    }""",
    "through memory of each thread's own": """
#pragma omp parallel
    {
        int *own = malloc(sizeof a), count = 0, first = 0;
#pragma omp for schedule(static)
        for (int i = 0; i < 100; i++) { if (!count) first = i; own[count++] = i + 1; }
#pragma omp critical
        memcpy(a + first, own, count * sizeof *own);
        free(own);
    }""",
    "serial": """
    for (int i = 0; i < 100; i++) a[i] = i + 1;""",
    "an if() that is false": """
#pragma omp parallel for if (sizeof a > 640)
    for (int i = 0; i < 100; i++) a[i] = i + 1;""",
    "a team of one": """
#pragma omp parallel for num_threads(1)
    for (int i = 0; i < 100; i++) a[i] = i + 1;""",
    "single, who does it all": """
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 100; i++) a[i] = i + 1;""",
    "the others only work on their own stack": """
#pragma omp parallel
    {
        int idle[100], *p = idle;
        for (int i = 0; i < 100; i++) p[i] = i + 1;
        if (omp_get_thread_num() == 2) memcpy(a, p, sizeof a);
    }""",
    "the others only say that they are there": """
    char here[8];
#pragma omp parallel
    {
        here[omp_get_thread_num()] = 1;
#pragma omp master
        for (int i = 0; i < 100; i++) a[i] = i + 1;
    }""",
}
WRONG = {
    "a store past the caches": """
#pragma omp parallel for
    for (int i = 0; i < 100; i++) {
        a[i] = i + 1;
        _mm_stream_si32(&total, 0);  // RACE
    }""",
    "half a register": """
#pragma omp parallel for
    for (int i = 0; i < 100; i++) {
        static float two[2];
        a[i] = i + 1;
        _mm_storeh_pi((__m64 *)two, _mm_set1_ps(1));  // RACE
    }""",
    "chosen bytes": """
#pragma omp parallel for
    for (int i = 0; i < 100; i++) {
        static char near[16];
        a[i] = i + 1;
        _mm_maskmoveu_si128(_mm_set1_epi8(1), _mm_set1_epi16(255), near);  // RACE
    }""",
    "a variable of tasks, by a builtin alone": """
    unsigned sum = 0;
#pragma omp parallel
#pragma omp single
    {
        for (int i = 0; i < 100; i++) a[i] = i + 1;
#pragma omp task shared(sum)
        sum = 1;  // RACE
#pragma omp task shared(sum)
        __builtin_ia32_addcarryx_u32(0, 1, 2, &sum);  // RACE
    }""",
    "a task not waited for": """
    int half[100];
#pragma omp parallel
#pragma omp single
    {
#pragma omp task
        for (int i = 0; i < 100; i++)
            half[i] = i;  // RACE
        for (int i = 0; i < 100; i++) a[i] = half[i] + 1;
    }""",
    "tasks of one place": """
#pragma omp parallel
#pragma omp single
    for (int i = 1; i <= 100; i++)
#pragma omp task
        total += i;  // RACE""",
    "a grandchild not waited for": """
    int half[100];
#pragma omp parallel
#pragma omp single
    {
#pragma omp task
#pragma omp task
        for (int i = 0; i < 100; i++)
            half[i] = i;  // RACE
#pragma omp taskwait
        for (int i = 0; i < 100; i++) a[i] = half[i] + 1;
    }""",
    "a dependence that names another row": """
    int row[2][100];
#pragma omp parallel
#pragma omp single
    {
#pragma omp task depend(out : row[0])
        for (int i = 0; i < 100; i++)
            row[0][i] = i;  // RACE
#pragma omp task depend(in : row[1])
        for (int i = 0; i < 100; i++) a[i] = row[0][i] + 1;
    }""",
    "taskloop nogroup": """
    int half[100];
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskloop nogroup
        for (int i = 0; i < 100; i++)
            half[i] = i;  // RACE
#pragma omp taskloop
        for (int i = 0; i < 100; i++) a[i] = half[99 - i] + 1;
    }""",
    "a sum": """
#pragma omp parallel for
    for (int i = 1; i <= 100; i++)
        total += i;  // RACE""",
    "a variable outside": """
    int t;
#pragma omp parallel for
    for (int i = 0; i < 100; i++) {
        t = i;  // RACE
        a[i] = t + 1;
    }""",
    "the inner loop's index": """
    int x;
#pragma omp parallel for
    for (int y = 0; y < 10; y++)
        for (x = 0; x < 10; x++)  // RACE
            a[10 * y + x] = 10 * y + x + 1;""",
    "a static variable": """
#pragma omp parallel for
    for (int i = 0; i < 100; i++) {
        static int t;
        t = i;  // RACE
        a[i] = t + 1;
    }""",
    "a buffer of everybody's": """
    int *row = malloc(100 * sizeof *row);
#pragma omp parallel for
    for (int i = 0; i < 100; i++) {
        memset(row, 0, sizeof *row);  // RACE
        a[i] = i + 1;
    }
    free(row);""",
    "a neighbour's value": """
    a[0] = 1;
#pragma omp parallel for
    for (int i = 1; i < 100; i++)
        a[i] = a[i - 1] + 1;  // RACE""",
    "at chunks' edges alone": """
#pragma omp parallel for
    for (int i = 0; i < 100; i++) {
        a[i] = i + 1;  // RACE
        if (i > 0) a[i - 1] = i;
    }""",
    "nowait": """
    int half[100];
#pragma omp parallel
    {
#pragma omp for nowait
        for (int i = 0; i < 100; i++)
            half[i] = i;  // RACE
#pragma omp for
        for (int i = 0; i < 100; i++) a[i] = half[99 - i] + 1;
    }""",
    "a forgotten critical": """
#pragma omp parallel for
    for (int i = 1; i <= 100; i++) {
        if (i % 2)
#pragma omp critical
            total += i;
        else
            total += i;  // RACE
    }""",
    "master without a barrier": """
    int one = 0;
#pragma omp parallel
    {
#pragma omp master
        one = 1;  // RACE
#pragma omp for
        for (int i = 0; i < 100; i++) a[i] = i + one;
    }""",
    "all do the same": """
#pragma omp parallel
    {
        for (int i = 0; i < 100; i++)
            a[i] = i + 1;  // RACE
    }""",
    "dynamic": """
    int count = 0;
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < 100; i++)
        a[count++] = i + 1;  // RACE""",
    "sections": """
#pragma omp parallel sections
    {
        total += 2000;
#pragma omp section
        total += 3050;  // RACE
    }""",
    "a float behind an atomic": """
    float sum = 0;
#pragma omp parallel for
    for (int i = 1; i <= 100; i++) {
#pragma omp atomic
        sum += i;
        a[0] = (int)sum;  // RACE
    }""",
}
# Of programs among RIGHT, the largest team and how many threads worked.
TEAMS = {
    "tasks by one": (3, 2), "taskloop": (3, 3), "recursion, each half of its own": (3, 2),
    "very many tasks": (3, 3), "a task that is never reached": (1, 0), "one task alone": (3, 1),
    "a counter of the work, atomic": (3, 3), "a counter of the work, locked": (3, 3),
    "a counter of the work, in a critical section": (3, 3),
    "a thread that waits for another one's flag": (2, 2), "very many atomic accesses": (3, 3),
    "static": (3, 3), "chunks for two of three threads": (3, 2), "barrier by hand": (3, 3),
    "sections": (3, 2), "a region within a region": (3, 3),
    "a region within a region of one": (3, 3), "an if() that is true": (3, 3),
    "a table by one, a loop by all": (3, 3), "through memory of each thread's own": (3, 3),
    "serial": (1, 0), "an if() that is false": (1, 0), "a team of one": (1, 0),
    "single, who does it all": (3, 1), "the others only work on their own stack": (3, 1),
    "the others only say that they are there": (3, 1),
}  # fmt: skip


@pytest.fixture(scope="module")
def compiler() -> tuple[list[str], list[str]]:
    """The flags of the Makefile, for compiling and for linking."""
    shown = "shown: ; @echo '$(RACE_CFLAGS)'; echo '$(RACE_WRAPPED:%=-Wl,--wrap=%)'"
    argv = ["make", "-s", "--eval", shown, "shown"]
    done = captured.run(argv, cwd=paths.ROOT, check=True)
    compiling, linking = done.stdout.splitlines()
    libraries = [
        str(paths.BUILD / "lib/plain" / f"lib{name}.a") for name in ("openmp_race", "runtime")
    ]
    return compiling.split(), [*linking.split(), *libraries, "-lm", "-pthread"]


def checked(
    source: str, folder: Path, compiler: tuple[list[str], list[str]]
) -> tuple[str, list[Any], set[int]]:
    """What the program prints, the findings, and the lines that they name."""
    file, program = folder / "a.c", folder / "a"
    file.write_text(source)
    compiling, linking = compiler
    subprocess.run(["gcc", *compiling, "-S", file, "-o", folder / "a.s"], check=True)
    text = "".join(machine_accesses.reported((folder / "a.s").read_text(), of_threads=True))
    (folder / "a.s").write_text(text)
    subprocess.run(["gcc", folder / "a.s", *linking, "-o", program], check=True)
    with evidence.recorder() as recorder:
        done = captured.run(
            [program],
            check=True,
            env=recorder.environment(),
            pass_fds=(recorder.descriptor,),
            timeout=60,
        )
        reported = recorder.read()
    (folder / "team.json").write_bytes(reported.last(evidence.TEAM))
    findings = [json.loads(line) for line in reported.of(evidence.FINDING)]
    counters = [f[key] for f in findings for key in ("pc", "other_pc")]
    places = addr2line.locations(program, counters)
    return done.stdout.strip(), findings, {line for _, line in places.values()}


def test_runtime_covers_the_allowed_openmp_calls() -> None:
    def names(*command: str | Path) -> set[str]:
        said = captured.run(["nm", *command], check=True).stdout.split()
        return {name.partition("@")[0] for name in said}

    (runtime,) = Path("/usr/lib").glob("*-linux-gnu/libgomp.so.1")
    permitted = {n for n in names("-D", "-j", runtime) if symbol_rules.is_allowed(n, "plain")}
    permitted = {n for n in permitted if n.startswith(("omp_", "GOMP_"))}
    own = names("-j", "--defined-only", paths.BUILD / "lib/plain/libopenmp_race.a")
    assert "GOMP_taskloop" in permitted and permitted <= own, permitted - own


def program(body: str) -> str:
    return f"{HEAD}static void run(void) {{{body}\n}}\n{MAIN}"


@pytest.mark.parametrize("name", RIGHT)
def test_correct_programs_have_no_races(
    name: str, tmp_path: Path, compiler: tuple[list[str], list[str]]
) -> None:
    said, findings, _ = checked(program(RIGHT[name]), tmp_path, compiler)
    assert (said, findings) == ("5050", [])
    team = records.readable((tmp_path / "team.json").read_bytes(), openmp_team.Team)
    assert team is not None
    assert name not in TEAMS or (team.largest, team.working()) == TEAMS[name], team


@pytest.mark.parametrize("name", WRONG)
def test_racy_programs_are_reported(
    name: str, tmp_path: Path, compiler: tuple[list[str], list[str]]
) -> None:
    source = program(WRONG[name])
    _, findings, named = checked(source, tmp_path, compiler)
    assert findings and all(f["kind"] == "thread-race" for f in findings)
    wanted = {n for n, line in enumerate(source.splitlines(), 1) if re.search(r"// RACE", line)}
    assert wanted <= named
    again = checked(source, tmp_path, compiler)
    assert len(again[1]) == len(findings)  # the same, whoever is scheduled how
