/* A cell keeps the table that it is in. */
#import "known.h"

@class PhotoTable;
@interface PhotoCell : Counted
@property (strong) PhotoTable *tableView;
@end
@implementation PhotoCell
@end

@interface PhotoTable : Counted
@property (strong) NSMutableArray<PhotoCell *> *cells;
@end
@implementation PhotoTable
@end

void known_mistake(void) {
    PhotoTable *table = [[PhotoTable alloc] init];
    table.cells = [[NSMutableArray alloc] init];
    for (int i = 0; i < 3; i++) {
        PhotoCell *cell = [[PhotoCell alloc] init];
        cell.tableView = table;
        [table.cells addObject:cell];
    }
    for (PhotoCell *cell in table.cells)
        assert(cell.tableView == table);
}
