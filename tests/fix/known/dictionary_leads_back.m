/* What a dictionary holds leads back to the dictionary's owner, by an object of its own. */
#import "known.h"

@interface Board : Counted
@property (nonatomic, strong) NSMutableDictionary *rows;
@end
@interface RowMenu : Counted
@property (nonatomic, strong) Board *board;
@end
@interface Row : Counted
@property (nonatomic, strong) RowMenu *menu;
@end
@implementation Board
@end
@implementation RowMenu
@end
@implementation Row
@end

void known_mistake(void) {
    Board *board = [[Board alloc] init];
    board.rows = [[NSMutableDictionary alloc] init];
    Row *row = [[Row alloc] init];
    row.menu = [[RowMenu alloc] init];
    row.menu.board = board;
    [board.rows setObject:row forKey:@"first"];
    assert(row.menu.board == board);
}
