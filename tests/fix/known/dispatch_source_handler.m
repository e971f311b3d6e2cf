/* The handler of a dispatch source captures what owns the source. */
#import "doubles.h"
#import "known.h"

@interface FileWatcher : Counted
@property (nonatomic, strong) OS_dispatch_source *source;
@property (nonatomic) int polls;
- (void)watch;
@end

@implementation FileWatcher
- (void)watch {
    self.source = [[OS_dispatch_source alloc] init];
    dispatch_source_set_event_handler(self.source, ^{
        self.polls++;
    });
}
@end

void known_mistake(void) {
    FileWatcher *watcher = [[FileWatcher alloc] init];
    [watcher watch];
    [watcher.source fire];
    assert(watcher.polls == 1);
}
