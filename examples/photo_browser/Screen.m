#import "Screen.h"

@implementation Screen

- (instancetype)initWithTitle:(NSString *)title {
    self = [super init];
    if (self)
        _title = [title copy];
    return self;
}

- (void)didOpen {
}

- (void)didClose {
}

@end

@implementation Navigator {
    NSMutableArray<Screen *> *_stack;
}

- (instancetype)init {
    self = [super init];
    if (self)
        _stack = [[NSMutableArray alloc] init];
    return self;
}

- (void)push:(Screen *)screen {
    [_stack addObject:screen];
    [screen didOpen];
}

- (void)pop {
    Screen *screen = _stack.lastObject;
    [_stack removeLastObject];
    [screen didClose];
}

@end
