#import "hidden.h"

@interface Hidden () {
    long _first;
    id _kept;
    double _last;
}
@end

@implementation Hidden

- (void)keep:(id)kept {
    _first = 11;
    _kept = kept;
    _last = 0.25;
}

@end
