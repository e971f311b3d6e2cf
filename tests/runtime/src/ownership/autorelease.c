/*
 * autorelease.c - autorelease pools in pages of 4096 bytes, as AutoreleasePoolPage lays them out.
 *
 * A page's entries are objects to release, nil where a pool begins. The same object twice in a row
 * is one entry with a repeat count in its top 16 bits.
 */
#include "internal.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define POOL_PTR_MASK    0x0000ffffffffffffUL
#define POOL_COUNT_SHIFT 48
#define POOL_COUNT_MAX   0xffffUL
/* Answered by the first push of a thread, which makes no page: most pools stay empty. */
#define EMPTY_POOL ((void *)1)

#define EXPORT_OFFSET(field, value)                                                                \
    OBJC_EXTERN const uint32_t objc_debug_autoreleasepoolpage_##field##_offset;                    \
    const uint32_t objc_debug_autoreleasepoolpage_##field##_offset = value
EXPORT_OFFSET(magic, offsetof(struct pool_page, magic));
EXPORT_OFFSET(next, offsetof(struct pool_page, next));
EXPORT_OFFSET(thread, offsetof(struct pool_page, thread));
EXPORT_OFFSET(parent, offsetof(struct pool_page, parent));
EXPORT_OFFSET(child, offsetof(struct pool_page, child));
EXPORT_OFFSET(depth, offsetof(struct pool_page, depth));
EXPORT_OFFSET(hiwat, offsetof(struct pool_page, high_water));
EXPORT_OFFSET(begin, offsetof(struct pool_page, entries));
OBJC_EXTERN const uintptr_t objc_debug_autoreleasepoolpage_ptr_mask;
const uintptr_t objc_debug_autoreleasepoolpage_ptr_mask = POOL_PTR_MASK;

OBJC_EXTERN void *objc_autoreleasePoolPush(void);
OBJC_EXTERN void objc_autoreleasePoolPop(void *token);

static __thread struct pool_page *hot_page;
static __thread bool has_empty_pool;
static pthread_key_t thread_end_key;

static id *page_end(struct pool_page *page) {
    return (id *)((char *)page + POOL_PAGE_SIZE);
}

static struct pool_page *page_of(void *entry) {
    return (struct pool_page *)((uintptr_t)entry & ~(uintptr_t)(POOL_PAGE_SIZE - 1));
}

/* Without its magic: memory that is free says no longer that it is a page. */
static void page_free(struct pool_page *page) {
    volatile uint32_t *magic = page->magic;
    for (unsigned i = 0; i < sizeof page->magic / sizeof page->magic[0]; i++)
        magic[i] = 0;
    free(page);
}

static void free_children(struct pool_page *page) {
    struct pool_page *child = page->child;
    page->child = NULL;
    while (child) {
        struct pool_page *next = child->child;
        page_free(child);
        child = next;
    }
}

static void drain_thread(void *first_page) {
    struct pool_page *page = first_page;
    objc_autoreleasePoolPop(page->entries);
    hot_page = NULL;
    free_children(page);
    page_free(page);
}

static void make_thread_end_key(void) {
    pthread_key_create(&thread_end_key, drain_thread);
}

static struct pool_page *page_create(struct pool_page *parent) {
    struct pool_page *page;
    if (posix_memalign((void **)&page, POOL_PAGE_SIZE, POOL_PAGE_SIZE) != 0)
        rt_fatal("no memory for an autorelease pool");
    memset(page, 0, POOL_PAGE_SIZE);
    page->magic[0] = 0xa1a1a1a1;
    memcpy(&page->magic[1], "AUTORELEASE!", 12);
    page->next = page->entries;
    page->thread = (uintptr_t)pthread_self();
    page->parent = parent;
    if (parent) {
        page->depth = parent->depth + 1;
        parent->child = page;
    } else {
        static pthread_once_t once = PTHREAD_ONCE_INIT;
        pthread_once(&once, make_thread_end_key);
        pthread_setspecific(thread_end_key, page);
    }
    return page;
}

static id *append(id entry) {
    if (!hot_page) {
        hot_page = page_create(NULL);
        /* Where the pool begins that had no page yet. */
        if (has_empty_pool)
            *hot_page->next++ = nil;
        has_empty_pool = false;
    } else if (hot_page->next == page_end(hot_page)) {
        hot_page = hot_page->child ? hot_page->child : page_create(hot_page);
    }
    *hot_page->next = entry;
    return hot_page->next++;
}

/* One more for the newest entry if it is the same object. */
static bool repeat(id object) {
    if (!hot_page || hot_page->next == hot_page->entries)
        return false;
    uintptr_t last = (uintptr_t)hot_page->next[-1];
    if ((last & POOL_PTR_MASK) != (uintptr_t)object || last >> POOL_COUNT_SHIFT == POOL_COUNT_MAX)
        return false;
    hot_page->next[-1] = (id)(last + (1UL << POOL_COUNT_SHIFT));
    return true;
}

void rt_autorelease_add(id object) {
    if (!repeat(object))
        append(object);
}

void *objc_autoreleasePoolPush(void) {
    if (hot_page || has_empty_pool)
        return append(nil);
    has_empty_pool = true;
    return EMPTY_POOL;
}

/* An empty page is kept behind one that is half full, as popPage() of NSObject.mm does. */
static void free_empty_pages(struct pool_page *page) {
    bool half_full = page->next - page->entries >= (page_end(page) - page->entries) / 2;
    if (half_full && page->child)
        page = page->child;
    free_children(page);
}

/* The placeholder stands for the first page's beginning, once there is one. */
static id *first_entry(void) {
    struct pool_page *page = hot_page;
    while (page && page->parent)
        page = page->parent;
    return page ? page->entries : NULL;
}

void objc_autoreleasePoolPop(void *token) {
    id *stop = token == EMPTY_POOL ? first_entry() : token;
    if (!stop) {
        has_empty_pool = false;
        return;
    }
    struct pool_page *stop_page = page_of(stop);
    while (hot_page != stop_page || hot_page->next > stop) {
        if (hot_page->next == hot_page->entries) {
            hot_page = hot_page->parent;
            continue;
        }
        uintptr_t entry = (uintptr_t) * --hot_page->next;
        *hot_page->next = nil;
        for (uintptr_t i = 0; entry && i <= entry >> POOL_COUNT_SHIFT; i++)
            objc_release((id)(entry & POOL_PTR_MASK));
    }
    free_empty_pages(stop_page);
}
