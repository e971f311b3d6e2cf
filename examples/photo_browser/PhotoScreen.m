/*
 * One photo. What to do when it has arrived is a block that the screen keeps, and the block uses
 * self: screen -> block -> screen.
 */
#import "Screen.h"

typedef void (^PhotoCompletion)(NSString *photo, BOOL fromCache);

@interface PhotoCache : NSObject
- (BOOL)contains:(NSString *)photo;
@end

@implementation PhotoCache

- (BOOL)contains:(NSString *)photo {
    return photo.length > 3;
}

@end

@implementation PhotoScreen {
    PhotoCache *_cache;
    PhotoCompletion _completion;
    NSString *_photo;
    double _scale;
}

- (void)didOpen {
    _cache = [[PhotoCache alloc] init];

    __weak PhotoCache *cache = _cache;
    __block NSUInteger attempts = 0;
    double scale = 2;
    [self load:self.title completion:^(NSString *photo, BOOL fromCache) {
        attempts++;
        if (fromCache || attempts < 3)
            [self show:photo scale:[cache contains:photo] ? scale : 1];
    }];
}

- (void)load:(NSString *)name completion:(PhotoCompletion)completion {
    _completion = [completion copy];
    _completion(name, [_cache contains:name]);
}

- (void)show:(NSString *)photo scale:(double)scale {
    _photo = photo;
    _scale = scale;
}

@end
