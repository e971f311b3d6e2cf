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

/* Where the debugger stops. */
__attribute__((noinline)) void tablesReady(Tables *tables, id holder);
void tablesReady(Tables *tables, id holder) {
    (void)tables;
    (void)holder;
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
        tablesReady(tables, tables->_late[5500]);
    }
    return 0;
}
