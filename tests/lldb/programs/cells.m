/*
 * usage: cells [COUNT]
 * A thousand (or COUNT) cells are shown one after another, in two rounds. Numbers 4 and 7 are in a
 * ring.
 */
#import <Foundation/Foundation.h>

#include <stdlib.h>

enum { CELLS = 1000, ROUNDS = 2 };

@interface Cell : NSObject {
    int _number;
    void (^_tap)(void);
}
@end

@implementation Cell

- (instancetype)initWithNumber:(int)number {
    self = [super init];
    if (self)
        _number = number;
    if (number == 4 || number == 7)
        _tap = ^{
            [self show];
        };
    return self;
}

- (void)show {
    __asm__ volatile("");
}

@end

int main(int argc, char **argv) {
    int count = argc > 1 ? atoi(argv[1]) : CELLS;
    NSMutableArray<Cell *> *cells = [[NSMutableArray alloc] init];
    for (int i = 0; i < count; i++)
        [cells addObject:[[Cell alloc] initWithNumber:i]];
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < count; i++)
            [cells[i] show];
    return 0;
}
