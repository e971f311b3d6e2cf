/* The undo manager's actions keep what owns the manager. */
#import "known.h"

@interface Sketch : Counted {
    NSUndoManager *undo;
    int lines;
}
- (void)draw;
- (void)undoDraw:(id)state;
- (int)lines;
- (void)close;
- (NSUndoManager *)undo;
@end
@implementation Sketch
- (id)init {
    if ((self = [super init])) {
        undo = [[NSUndoManager alloc] init];
        [undo setGroupsByEvent:NO];
    }
    return self;
}
- (void)draw {
    lines++;
    [undo beginUndoGrouping];
    [undo registerUndoWithTarget:self selector:@selector(undoDraw:) object:self];
    [undo endUndoGrouping];
}
- (void)undoDraw:(id)state {
    assert(state == self);
    lines--;
}
- (int)lines {
    return lines;
}
- (void)close {
    lines = 0;
}
- (NSUndoManager *)undo {
    return undo;
}
- (void)dealloc {
    [undo release];
    [super dealloc];
}
@end

void known_mistake(void) {
    Sketch *sketch = [[Sketch alloc] init];
    [sketch draw];
    [sketch draw];
    assert([sketch lines] == 2);
    [sketch close];
    [sketch release];
}
