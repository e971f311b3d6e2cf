/* What a collection holds leads back to the collection's owner, by an object of its own. */
#import "known.h"

@interface Sheet : Counted
@property (nonatomic, strong) NSMutableArray *cells;
@end
@interface CellMenu : Counted
@property (nonatomic, strong) Sheet *sheet;
@end
@interface SheetCell : Counted
@property (nonatomic, strong) CellMenu *menu;
@end
@implementation Sheet
@end
@implementation CellMenu
@end
@implementation SheetCell
@end

void known_mistake(void) {
    Sheet *sheet = [[Sheet alloc] init];
    sheet.cells = [[NSMutableArray alloc] init];
    SheetCell *cell = [[SheetCell alloc] init];
    cell.menu = [[CellMenu alloc] init];
    cell.menu.sheet = sheet;
    [sheet.cells addObject:cell];
    assert(cell.menu.sheet == sheet);
}
