/* What a collection holds keeps the collection's owner. */
#import "known.h"

@interface ShoppingList : Counted
@property (nonatomic, strong) NSMutableArray *items;
@end
@interface ShoppingItem : Counted
@property (nonatomic, strong) ShoppingList *list;
@end
@implementation ShoppingList
@end
@implementation ShoppingItem
@end

void known_mistake(void) {
    ShoppingList *list = [[ShoppingList alloc] init];
    list.items = [[NSMutableArray alloc] init];
    for (int i = 0; i < 3; i++) {
        ShoppingItem *item = [[ShoppingItem alloc] init];
        item.list = list;
        [list.items addObject:item];
    }
    assert([[list.items objectAtIndex:2] list] == list);
}
