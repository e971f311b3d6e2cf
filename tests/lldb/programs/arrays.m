/* Classes with buffers, tables and grids: plain C arrays as ivars, of few and of many elements. */
#import <Foundation/Foundation.h>
#include <string.h>

struct item {
    char name[16];
    int x, y;
    __unsafe_unretained id peer;
    id owned;
};

@interface Tables : NSObject {
  @public
    char _buffer[24624];
    int _grid[4][5];
    float _ramp[100];
    id _three[3];
    id _cells[100];
    __weak id _watched[5000];
    __unsafe_unretained id _known[5000];
    struct item _items[3000];
    id _late[6000];
}
@end
@implementation Tables
@end

@interface Flags : NSObject {
  @public
    unsigned _first : 3, _second : 7;
    int _wide : 30;
    struct {
        unsigned char low : 4, high : 4;
    } _halves;
    unsigned _last : 1;
}
@end
@implementation Flags
@end

/* Where the debugger stops. */
__attribute__((noinline)) void tablesReady(Tables *tables, id holder, Flags *flags);
void tablesReady(Tables *tables, id holder, Flags *flags) {
    (void)tables;
    (void)holder;
    (void)flags;
}

int main(void) {
    @autoreleasepool {
        Tables *tables = [Tables new];
        strcpy(tables->_buffer, "hello");
        tables->_grid[1][2] = 7;
        for (int i = 0; i < 100; i++)
            tables->_ramp[i] = (float)i / 2;
        for (int i = 0; i < 97; i++)
            tables->_cells[i] = [NSObject new];
        tables->_three[1] = tables->_cells[0];
        tables->_late[5500] = [NSObject new];
        tables->_items[2999].owned = tables->_late[5500];
        Flags *flags = [Flags new];
        flags->_first = 5;
        flags->_second = 100;
        flags->_wide = 0x12345678;
        flags->_halves.low = 9;
        flags->_halves.high = 14;
        flags->_last = 1;
        tablesReady(tables, tables->_late[5500], flags);
    }
    return 0;
}
