#include "profile/control_flow.h"

#include <stdlib.h>
#include <string.h>

struct node {
    uint32_t pc;
    int *next; /* successors */
    int count, capacity;
    int order; /* position in the weak topological order, from 1 */
    int depth; /* number of components that hold the node */
    int head[FLOW_MAX_DEPTH];
    int number; /* Tarjan's and Bourdoncle's depth-first number; INT_MAX: placed */
    unsigned char *exits_reaching; /* of the head of a loop: for each node, how many exits of the
                                      loop reach it (at most 2) */
};

/* A known edge: from `from` to the block at `pc`, which is node `to`. */
struct known {
    int from, to; /* `to` is 0 in an empty entry */
    uint32_t pc;
};

#define KNOWN 512 /* a power of two */

struct flow {
    struct known known[KNOWN]; /* a cache of edges, each in the entry of its hash */
    struct node *nodes;        /* nodes[0] is the start of the kernel */
    int count, capacity;
    int *slots; /* open addressing from pc to node */
    int slot_count;
    unsigned version;
    unsigned exit_groups; /* the last number given to an exit group */
    bool changed;
    /* while the graph is being ordered */
    int *stack, *placed;
    int top, numbered, placed_count;
};

#define PLACED 0x7fffffff

struct flow *flow_create(void) {
    struct flow *flow = calloc(1, sizeof *flow);
    if (flow == NULL) {
        return NULL;
    }
    flow->capacity = 64;
    flow->slot_count = 256;
    flow->nodes = calloc((size_t)flow->capacity, sizeof *flow->nodes);
    flow->slots = calloc((size_t)flow->slot_count, sizeof *flow->slots);
    if (flow->nodes == NULL || flow->slots == NULL) {
        flow_free(flow);
        return NULL;
    }
    flow->count = 1;
    return flow;
}

void flow_free(struct flow *flow) {
    if (flow == NULL) {
        return;
    }
    for (int i = 0; i < flow->count; i++) {
        free(flow->nodes[i].next);
        free(flow->nodes[i].exits_reaching);
    }
    free(flow->nodes);
    free(flow->slots);
    free(flow->stack);
    free(flow->placed);
    free(flow);
}

static int slot_of(const struct flow *flow, uint32_t pc) {
    unsigned mask = (unsigned)flow->slot_count - 1;
    unsigned slot = (pc * 2654435761u) >> 7 & mask;
    while (flow->slots[slot] && flow->nodes[flow->slots[slot]].pc != pc) {
        slot = (slot + 1) & mask;
    }
    return (int)slot;
}

/* Room for one more node; the slots stay at most a quarter full. */
static bool grow(struct flow *flow) {
    if (flow->count < flow->capacity) {
        return true;
    }
    int capacity = flow->capacity * 2;
    int *slots = calloc((size_t)capacity * 4, sizeof *slots);
    struct node *nodes = realloc(flow->nodes, (size_t)capacity * sizeof *nodes);
    if (nodes != NULL) {
        memset(nodes + flow->capacity, 0, (size_t)flow->capacity * sizeof *nodes);
        flow->nodes = nodes;
    }
    if (slots == NULL || nodes == NULL) {
        free(slots);
        return false;
    }
    flow->capacity = capacity;
    free(flow->slots);
    flow->slots = slots;
    flow->slot_count = capacity * 4;
    for (int i = 1; i < flow->count; i++) {
        slots[slot_of(flow, nodes[i].pc)] = i;
    }
    return true;
}

static int node_at(struct flow *flow, uint32_t pc) {
    int node = flow->slots[slot_of(flow, pc)];
    if (node == 0 && grow(flow)) {
        node = flow->count++;
        flow->nodes[node].pc = pc;
        flow->slots[slot_of(flow, pc)] = node;
        flow->changed = true;
    }
    return node;
}

static bool add_edge(struct flow *flow, int from, int to) {
    struct node *node = &flow->nodes[from];
    for (int i = 0; i < node->count; i++) {
        if (node->next[i] == to) {
            return true;
        }
    }
    if (node->count == node->capacity) {
        int capacity = node->capacity ? node->capacity * 2 : 2;
        int *next = realloc(node->next, (size_t)capacity * sizeof *next);
        if (next == NULL) {
            return false;
        }
        node->next = next;
        node->capacity = capacity;
    }
    node->next[node->count++] = to;
    flow->changed = true;
    return true;
}

int flow_enter(struct flow *flow, int from, uint32_t pc) {
    struct known *known = &flow->known[(pc ^ pc >> 9 ^ (unsigned)from * 37) % KNOWN];
    if (known->to != 0 && known->from == from && known->pc == pc) {
        return known->to;
    }
    int to = node_at(flow, pc);
    if (to == 0 || !add_edge(flow, from, to)) {
        return 0;
    }
    *known = (struct known){from, to, pc};
    return to;
}

static void component(struct flow *flow, int head, int depth);

/* Bourdoncle's `visit`: numbers the nodes that can be reached from `at`, and places each finished
 * component after everything that follows it. Returns the smallest number that a path from `at`
 * leads back to. */
static int visit(struct flow *flow, int at, int depth) {
    struct node *node = &flow->nodes[at];
    flow->stack[flow->top++] = at;
    node->number = ++flow->numbered;
    int smallest = node->number;
    bool loop = false;
    for (int i = 0; i < node->count; i++) {
        int to = node->next[i];
        int reached = flow->nodes[to].number ? flow->nodes[to].number : visit(flow, to, depth);
        if (reached <= smallest) {
            smallest = reached;
            loop = true;
        }
    }
    if (smallest == node->number) {
        int popped = flow->stack[--flow->top];
        while (loop && popped != at) {
            flow->nodes[popped].number = 0;
            popped = flow->stack[--flow->top];
        }
        node->number = PLACED;
        if (loop) {
            component(flow, at, depth);
        }
        node->depth = depth + (loop && depth < FLOW_MAX_DEPTH);
        flow->placed[flow->placed_count++] = at;
    }
    return smallest;
}

/* Orders the inside of the loop of `head`, at nesting depth `depth`. The nodes that are placed
 * meanwhile belong to the loop. */
static void component(struct flow *flow, int head, int depth) {
    int first = flow->placed_count;
    int inner = depth < FLOW_MAX_DEPTH ? depth + 1 : depth;
    struct node *node = &flow->nodes[head];
    for (int i = 0; i < node->count; i++) {
        if (flow->nodes[node->next[i]].number == 0) {
            visit(flow, node->next[i], inner);
        }
    }
    if (depth < FLOW_MAX_DEPTH) {
        for (int i = first; i < flow->placed_count; i++) {
            flow->nodes[flow->placed[i]].head[depth] = head;
        }
        node->head[depth] = head;
    }
}

static bool is_inside(const struct node *node, int head, int depth) {
    return node->depth > depth && node->head[depth] == head;
}

/* Is `node` the head of a loop that encloses the one at `depth` around `inner`? */
static bool encloses(const struct node *inner, int depth, int node) {
    for (int i = 0; i < depth; i++) {
        if (inner->head[i] == node) {
            return true;
        }
    }
    return false;
}

/* Adds one exit to each node that can be reached from `from` without another iteration of an
 * enclosing loop. `visited` is all 0 before and after; `flow->stack` has room for every node. */
static void count_reached(struct flow *flow, int head, int depth, int from,
                          unsigned char *visited) {
    struct node *loop = &flow->nodes[head];
    int done = 0, reached_count = 0;
    flow->stack[reached_count++] = from;
    visited[from] = 1;
    while (done < reached_count) {
        int at = flow->stack[done++];
        loop->exits_reaching[at] = loop->exits_reaching[at] == 0 ? 1 : 2;
        for (int i = 0; i < flow->nodes[at].count && !encloses(loop, depth, at); i++) {
            int next = flow->nodes[at].next[i];
            if (!visited[next]) {
                visited[next] = 1;
                flow->stack[reached_count++] = next;
            }
        }
    }
    for (int i = 0; i < reached_count; i++) {
        visited[flow->stack[i]] = 0;
    }
}

/* Counts which exits of the loop of `head` reach each node. With a single exit all nodes count as
 * reached by all. */
static bool count_exits(struct flow *flow, int head, int depth) {
    struct node *loop = &flow->nodes[head];
    unsigned char *visited = calloc(2, (size_t)flow->count);
    loop->exits_reaching = calloc(1, (size_t)flow->count);
    if (visited == NULL || loop->exits_reaching == NULL) {
        free(visited);
        return false;
    }
    unsigned char *is_exit = visited + flow->count;
    int exits = 0;
    for (int i = 0; i < flow->count; i++) {
        const struct node *node = &flow->nodes[i];
        for (int k = 0; k < node->count && is_inside(node, head, depth); k++) {
            int to = node->next[k];
            if (!is_inside(&flow->nodes[to], head, depth) && !is_exit[to]) {
                is_exit[to] = 1;
                exits++;
                count_reached(flow, head, depth, to, visited);
            }
        }
    }
    if (exits < 2) {
        memset(loop->exits_reaching, 2, (size_t)flow->count);
    }
    free(visited);
    return true;
}

static bool count_all_exits(struct flow *flow) {
    for (int i = 0; i < flow->count; i++) {
        struct node *node = &flow->nodes[i];
        free(node->exits_reaching);
        node->exits_reaching = NULL;
    }
    for (int i = 0; i < flow->count; i++) {
        const struct node *node = &flow->nodes[i];
        if (node->depth > 0 && node->head[node->depth - 1] == i &&
            !count_exits(flow, i, node->depth - 1)) {
            return false;
        }
    }
    return true;
}

unsigned flow_order(struct flow *flow) {
    if (!flow->changed) {
        return flow->version;
    }
    size_t size = (size_t)flow->count * sizeof(int);
    int *stack = realloc(flow->stack, size);
    flow->stack = stack ? stack : flow->stack;
    int *placed = realloc(flow->placed, size);
    flow->placed = placed ? placed : flow->placed;
    if (stack == NULL || placed == NULL) {
        return 0;
    }
    flow->top = flow->numbered = flow->placed_count = 0;
    for (int i = 0; i < flow->count; i++) {
        flow->nodes[i].number = 0;
        flow->nodes[i].depth = 0;
    }
    visit(flow, 0, 0);
    for (int i = 0; i < flow->placed_count; i++) { /* the last one placed comes first */
        flow->nodes[flow->placed[i]].order = flow->placed_count - i;
    }
    if (!count_all_exits(flow)) {
        return 0;
    }
    flow->changed = false;
    return ++flow->version;
}

/* Is `to` reached by one exit only of the loop of `head`? */
static bool is_own_exit(const struct flow *flow, int head, int to) {
    const unsigned char *exits_reaching = flow->nodes[head].exits_reaching;
    return exits_reaching != NULL && exits_reaching[to] < 2;
}

void flow_step(struct flow *flow, struct flow_position *position, int to) {
    const struct node *node = &flow->nodes[to];
    int shared = 0; /* loops that contain both ends */
    while (shared < position->depth && shared < node->depth &&
           position->head[shared] == node->head[shared]) {
        shared++;
    }
    /* An edge to the head of a loop that contains its start begins the next iteration of that
     * loop. */
    bool again = shared > 0 && node->head[shared - 1] == to && shared == node->depth;
    if (position->exit_group && !is_own_exit(flow, position->left_loop, to)) {
        position->exit_group = 0;
    } else if (!position->exit_group && shared < position->depth &&
               is_own_exit(flow, position->head[shared], to)) {
        position->left_loop = position->head[shared];
        position->exit_group = ++flow->exit_groups;
    }
    for (int i = shared; i < node->depth; i++) {
        position->head[i] = node->head[i];
        position->iteration[i] = 0;
    }
    if (again) {
        position->iteration[shared - 1]++;
    }
    position->depth = node->depth;
    position->node = to;
}

void flow_refresh(const struct flow *flow, struct flow_position *position) {
    if (position->version == flow->version) {
        return;
    }
    struct flow_position old = *position;
    position->version = flow->version;
    const struct node *node = &flow->nodes[old.node];
    position->depth = node->depth;
    for (int i = 0; i < node->depth; i++) {
        position->head[i] = node->head[i];
        position->iteration[i] = 0;
        for (int j = 0; j < old.depth; j++) {
            if (old.head[j] == node->head[i]) {
                position->iteration[i] = old.iteration[j];
            }
        }
    }
}

int flow_compare(const struct flow *flow, const struct flow_position *a,
                 const struct flow_position *b) {
    if (a->exit_group !=
        b->exit_group) { /* lanes that left a loop by an exit of their own go on first */
        return a->exit_group != 0 && (b->exit_group == 0 || a->exit_group < b->exit_group) ? -1 : 1;
    }
    for (int i = 0;; i++) {
        int node_a = i < a->depth ? a->head[i] : a->node;
        int node_b = i < b->depth ? b->head[i] : b->node;
        bool loops = i < a->depth && i < b->depth && node_a == node_b;
        if (!loops) {
            return flow->nodes[node_a].order - flow->nodes[node_b].order;
        }
        if (a->iteration[i] != b->iteration[i]) {
            return a->iteration[i] < b->iteration[i] ? -1 : 1;
        }
    }
}
