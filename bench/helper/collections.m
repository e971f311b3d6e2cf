/*
 * How fast the helper walks what a Foundation program is made of: collections of a library, whose
 * classes keep their elements in ways of their own, in place of the ivars and blocks of nodes.m.
 *
 * A chain of folders. Each has an array of four files, a dictionary of two of them by constant
 * names, and a set with the other two.
 *
 * usage: helper_collections [COUNT...]        folders
 */
#include "apart.h"
#include "contestants.h"

#include <Foundation/Foundation.h>
#include <stdio.h>
#include <stdlib.h>

enum { FILES = 4, OBJECTS_EACH = 4 + FILES, NAMES = 2 };

@interface File : NSObject {
  @public
    long number;
}
@end
@implementation File
@end

@interface Folder : NSObject {
  @public
    Folder *next;
    NSMutableArray *files;
    NSMutableDictionary *named;
    NSMutableSet *others;
}
@end
@implementation Folder
@end

static Folder *make_folder(Folder *next) {
    Folder *folder = [Folder new];
    folder->next = next;
    folder->files = [NSMutableArray new];
    folder->named = [NSMutableDictionary new];
    folder->others = [NSMutableSet new];
    for (unsigned i = 0; i < FILES; i++) {
        File *file = [File new];
        [folder->files addObject:file];
        if (i < NAMES)
            [folder->named setObject:file forKey:i ? @"the first" : @"the second"];
        else
            [folder->others addObject:file];
        [file release];
    }
    return folder;
}

static void *build(uint32_t count) {
    Folder *first = nil;
    @autoreleasepool {
        for (uint32_t i = 0; i < count; i++)
            first = make_folder(first);
    }
    return first;
}

static void measure(struct shape shape) {
    void *seed = build(shape.count);
    size_t objects = (size_t)shape.count * OBJECTS_EACH + NAMES;
    struct walk_times loupe = loupe_walks(seed, objects + 1);
    if (loupe.objects != objects) {
        fprintf(stderr, "%zu objects: Loupe walked %zu\n", objects, loupe.objects);
        exit(1);
    }
    double ns_each = 1e6 / (double)objects;
    printf("%9zu %8.2f %8.2f %8.2f   %6.0f %6.0f\n", objects, loupe.walk, loupe.cycles, loupe.whole,
           loupe.walk * ns_each, loupe.whole * ns_each);
    fflush(stdout);
}

int main(int argc, char **argv) {
    static const uint32_t usual[] = {1250, 12500, 125000};
    int failed = 0;
    printf("                milliseconds         ns per object\n"
           "  objects     walk   cycles    whole     walk  whole\n");
    fflush(stdout);
    for (int i = 0; i < (argc > 1 ? argc - 1 : 3) && !failed; i++) {
        uint32_t count = argc > 1 ? (uint32_t)atoi(argv[i + 1]) : usual[i];
        failed = run_apart(measure, (struct shape){.count = count});
    }
    return failed;
}
