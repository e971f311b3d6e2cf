/* Compiled without ARC, so that nothing tells what its memory is. */
#import <Foundation/Foundation.h>

@interface Shelf : NSArray {
  @public
    void *_storage;
}
@end

@implementation Shelf
@end

id makeShelf(void *book);

id makeShelf(void *book) {
    Shelf *shelf = [[Shelf alloc] init];
    shelf->_storage = book;
    return [shelf autorelease];
}
