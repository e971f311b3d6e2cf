/* A task that never completes keeps what its handler uses. */
#import "doubles.h"
#import "known.h"

@interface Gallery : Counted
@property (nonatomic, strong) NSURLSessionTask *task;
@property (nonatomic, strong) id shown;
- (void)load;
- (void)show:(id)data;
@end

@implementation Gallery
- (void)load {
    self.task = [NSURLSessionTask dataTaskWithCompletionHandler:^(id data) {
        [self show:data];
    }];
}
- (void)show:(id)data {
    self.shown = data;
}
@end

void known_mistake(void) {
    Gallery *gallery = [[Gallery alloc] init];
    [gallery load];
    [gallery.task answer:@"picture"];
    assert(gallery.shown != nil);
}
