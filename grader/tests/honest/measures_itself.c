/* An honest file: measures itself. */
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <omp.h>
double measured(void);
double measured(void) {
    clock_t start = clock();
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    struct timeval day;
    gettimeofday(&day, NULL);
    double begin = omp_get_wtime();
    printf("%ld %s", (long)time(NULL), ctime(&now.tv_sec));
    return (double)(clock() - start) / CLOCKS_PER_SEC + omp_get_wtime() - begin;
}
