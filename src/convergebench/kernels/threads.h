/* Work in parts that do not depend on each other, by several threads. */

#ifndef CONVERGEBENCH_THREADS_H
#define CONVERGEBENCH_THREADS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

enum { MOST_THREADS = 64, STACK = 1 << 18 }; /* small stacks are kept for the next threads, and none is large here */

typedef void (*Part)(void *work, int64_t number);

typedef struct {
    Part part;
    void *work;
    int64_t count;
    atomic_llong next;
} Parts;

static void *do_parts(void *of) {
    Parts *parts = of;
    for (int64_t i; (i = atomic_fetch_add(&parts->next, 1)) < parts->count;)
        parts->part(parts->work, i);
    return NULL;
}

/* Every part is done when this returns, by no more threads than are given; the calling one is among them. */
static void on_threads(Part part, void *work, int64_t count, int64_t most) {
    Parts parts = {.part = part, .work = work, .count = count};
    pthread_t threads[MOST_THREADS - 1];
    pthread_attr_t with_stack;
    int started = 0;
    pthread_attr_init(&with_stack);
    pthread_attr_setstacksize(&with_stack, STACK);
    while (started < MOST_THREADS - 1 && started < most - 1 && started < count - 1 &&
           !pthread_create(&threads[started], &with_stack, do_parts, &parts))
        started++;
    do_parts(&parts);
    while (started)
        pthread_join(threads[--started], NULL);
    pthread_attr_destroy(&with_stack);
}

#endif
