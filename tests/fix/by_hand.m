/*
 * Mistakes of manual retain and release, as people write them: each retains what it should only
 * point to. The patches that `loupe fix` makes of an answer are applied to this very file.
 *
 * usage: by_hand        makes all, uses them, lets them go, and says of each class how many are left
 *        by_hand WAIT   the same, and waits then until its input ends
 */
#import <Foundation/Foundation.h>

#include <stdio.h>
#include <string.h>

enum { MOST_CLASSES = 32, STEPS = 10 };

static struct {
    const char *name;
    int alive;
} counts[MOST_CLASSES];

static int *count_of(Class cls) {
    const char *name = [NSStringFromClass(cls) UTF8String];
    unsigned i = 0;
    while (counts[i].name && strcmp(counts[i].name, name) != 0)
        i++;
    if (!counts[i].name)
        counts[i].name = strdup(name);
    return &counts[i].alive;
}

@interface Thing : NSObject
- (void)step;
- (void)stop; /* its work is done */
@end
@implementation Thing
- (id)init {
    if ((self = [super init]))
        ++*count_of([self class]);
    return self;
}
- (void)step {
}
- (void)stop {
}
- (void)dealloc {
    --*count_of([self class]);
    [super dealloc];
}
@end

/* ---- A child keeps its parent: a property that retains ---- */

@interface FeedScreen : Thing {
    NSMutableArray *_items;
    FeedScreen *_parent;
}
@property (nonatomic, retain) FeedScreen *parent;
- (void)addItem:(FeedScreen *)item;
@end

@implementation FeedScreen
- (FeedScreen *)parent {
    return _parent;
}
- (void)setParent:(FeedScreen *)parent {
    if (_parent != parent) {
        [_parent release];
        _parent = [parent retain];
    }
}
- (void)addItem:(FeedScreen *)item {
    if (!_items)
        _items = [[NSMutableArray alloc] init];
    [_items addObject:item];
    item.parent = self;
}
- (void)step {
    NSUInteger i;
    for (i = 0; i < [_items count]; i++)
        [[[_items objectAtIndex:i] parent] self];
}
- (void)dealloc {
    [_items release];
    [_parent release];
    [super dealloc];
}
@end

static Thing *make_feed(void) {
    FeedScreen *feed = [[FeedScreen alloc] init];
    int i;
    for (i = 0; i < 3; i++) {
        FeedScreen *item = [[FeedScreen alloc] init];
        [feed addItem:item];
        [item release];
    }
    return feed;
}

/* ---- A view keeps its delegate: three ways to write a setter ---- */

@interface MessageView : Thing {
    id _delegate;
}
- (void)setDelegate:(id)delegate;
@end
@implementation MessageView
- (void)setDelegate:(id)delegate {
    [delegate retain];
    [_delegate release];
    _delegate = delegate;
}
- (void)step {
    [_delegate self];
}
- (void)dealloc {
    [_delegate release], _delegate = nil;
    [super dealloc];
}
@end

@interface MailController : Thing {
    MessageView *_view;
}
@end
@implementation MailController
- (id)init {
    if ((self = [super init])) {
        _view = [[MessageView alloc] init];
        [_view setDelegate:self];
    }
    return self;
}
- (void)step {
    [_view step];
}
- (void)dealloc {
    [_view release];
    [super dealloc];
}
@end

static Thing *make_mail(void) {
    return [[MailController alloc] init];
}

@interface Downloader : Thing {
    id delegate;
}
- (id)initWithDelegate:(id)aDelegate;
@end
@implementation Downloader
- (id)initWithDelegate:(id)aDelegate {
    if ((self = [super init]))
        ASSIGN(delegate, aDelegate);
    return self;
}
- (void)step {
    [delegate self];
}
- (void)dealloc {
    DESTROY(delegate);
    [super dealloc];
}
@end

@interface PhotoAlbum : Thing {
    Downloader *_downloader;
}
@end
@implementation PhotoAlbum
- (id)init {
    if ((self = [super init]))
        _downloader = [[Downloader alloc] initWithDelegate:self];
    return self;
}
- (void)step {
    [_downloader step];
}
- (void)dealloc {
    [_downloader release];
    [super dealloc];
}
@end

static Thing *make_album(void) {
    return [[PhotoAlbum alloc] init];
}

/* ---- Two that share their owner: no change alone is enough ---- */

@interface Toolbar : Thing {
  @public
    id _delegate;
}
@end
@implementation Toolbar
- (id)initWithDelegate:(id)delegate {
    if ((self = [super init]))
        _delegate = [delegate retain];
    return self;
}
- (void)step {
    [_delegate self];
}
- (void)dealloc {
    [_delegate release];
    [super dealloc];
}
@end

@interface Sheet : Thing {
    Thing *_owner;
}
- (void)beginFor:(Thing *)owner;
@end
@implementation Sheet
- (void)beginFor:(Thing *)owner {
    [_owner autorelease];
    _owner = RETAIN(owner);
}
- (void)step {
    [_owner self];
}
- (void)dealloc {
    RELEASE(_owner);
    [super dealloc];
}
@end

@interface EditorController : Thing {
    Toolbar *_toolbar;
    Sheet *_sheet;
}
@end
@implementation EditorController
- (id)init {
    if ((self = [super init])) {
        _toolbar = [[Toolbar alloc] initWithDelegate:self];
        _sheet = [[Sheet alloc] init];
        [_sheet beginFor:self];
    }
    return self;
}
- (void)step {
    [_toolbar step];
    [_sheet step];
}
- (void)dealloc {
    [_toolbar release];
    [_sheet release];
    [super dealloc];
}
@end

static Thing *make_editor(void) {
    return [[EditorController alloc] init];
}

/* ---- What acts on a target keeps it ---- */

@interface DisplayLink : Thing {
    id _target;
}
- (id)initWithTarget:(id)target;
- (id)target;
@end
@implementation DisplayLink
- (id)initWithTarget:(id)target {
    self = [super init];
    if (self) {
        self->_target = [target retain];
    }
    return self;
}
- (id)target {
    return [[_target retain] autorelease];
}
- (void)step {
    [[self target] self];
}
- (void)dealloc {
    [self->_target release];
    [super dealloc];
}
@end

@interface ClockFace : Thing {
    DisplayLink *_link;
}
@end
@implementation ClockFace
- (id)init {
    if ((self = [super init]))
        _link = [[DisplayLink alloc] initWithTarget:self];
    return self;
}
- (void)step {
    [_link step];
}
- (void)dealloc {
    [_link release];
    [super dealloc];
}
@end

static Thing *make_clock(void) {
    return [[ClockFace alloc] init];
}

/* ---- A timer keeps its target ---- */

@interface Poller : Thing {
    NSTimer *_timer;
}
@end
@implementation Poller
- (id)init {
    if ((self = [super init]))
        _timer = [[NSTimer scheduledTimerWithTimeInterval:60
                                                   target:self
                                                 selector:@selector(step)
                                                 userInfo:nil
                                                  repeats:YES] retain];
    return self;
}
- (void)stop {
    [super stop];
}
- (void)dealloc {
    [_timer invalidate];
    [_timer release];
    [super dealloc];
}
@end

static Thing *make_poller(void) {
    return [[Poller alloc] init];
}

/* ---- All of them ---- */

int main(int argc, char **argv) {
    NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
    Thing *(*const makers[])(void) = {make_feed, make_mail, make_album, make_editor, make_clock, make_poller};
    unsigned left = 0, i, k;
    for (i = 0; i < sizeof(makers) / sizeof(makers[0]); i++) {
        NSAutoreleasePool *inner = [[NSAutoreleasePool alloc] init];
        Thing *made = makers[i]();
        for (k = 0; k < STEPS; k++)
            [made step];
        [made stop];
        [made release];
        [inner release];
    }
    for (i = 0; counts[i].name; i++) {
        printf("%s %d\n", counts[i].name, counts[i].alive);
        left += counts[i].alive != 0;
    }
    puts("done");
    fflush(stdout);
    if (argc > 1 && strcmp(argv[1], "WAIT") == 0)
        getchar();
    [pool release];
    return left != 0;
}
