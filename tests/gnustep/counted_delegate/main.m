/*
 * What retain counts tell of references that may own or not.
 *
 *     seed                                             guard: the same, but _delegate is not retained
 *      :
 *      v
 *    Book ==_pages==> array --[0]--> Page ==_reader==> Reader ==_delegate==> Page, the same
 *
 *     held
 *      :
 *      v
 *    Page ==_reader==> Reader - -_delegate- -> Page, the same, which only a local variable holds
 *
 * Ring       Page._reader, Reader._delegate.
 * Near miss  guard: the page counts one retain, and that is the array's, so that no ring is left.
 *            held: nobody can tell the variable's retain from one of the reader's. A possible ring,
 *            never a certain one.
 */
#import "watched.h"

@class Page;

@interface Reader : Watched {
@public
    Page *_delegate;
}
@end

@interface Page : Watched {
@public
    Reader *_reader;
}
@end

@interface Book : Watched {
@public
    NSMutableArray *_pages;
}
@end

@implementation Reader
@end

@implementation Page
- (void)dealloc {
    [_reader release];
    [super dealloc];
}
@end

@implementation Book
- (void)dealloc {
    [_pages release];
    [super dealloc];
}
@end

static Page *make_page(void) {
    Page *page = [[Page alloc] init];
    page->_reader = [[Reader alloc] init];
    page->_reader->_delegate = page;
    return page;
}

static Book *make_book(BOOL leaks) {
    Book *book = [[Book alloc] init];
    Page *page = make_page();
    if (leaks)
        [page retain];
    book->_pages = [[NSMutableArray alloc] initWithObjects:&page count:1];
    [page release];
    return book;
}

int main(void) {
    Book *seed = make_book(YES), *guard = make_book(NO);
    Page *held = make_page();
    FIXTURE_KEEP(seed);
    FIXTURE_KEEP(guard);
    FIXTURE_KEEP(held);
    loupe_fixture_ready();
    [seed release];
    [guard release];
    [held release];
    return watched_verdict(2);
}
