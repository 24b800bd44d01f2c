/* An honest file: omp locks and dynamic. */
#include <omp.h>
static omp_lock_t lock;
int locked(int n);
int locked(int n) {
    int done = 0;
    omp_init_lock(&lock);
#pragma omp parallel for schedule(dynamic, 4) ordered
    for (int i = 0; i < n; i++) {
        omp_set_lock(&lock);
        done++;
        omp_unset_lock(&lock);
#pragma omp ordered
        done += 0;
    }
    omp_destroy_lock(&lock);
    return done + omp_get_max_threads() + omp_get_num_procs();
}
