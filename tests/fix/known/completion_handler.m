/* A handler that is called once stays after it has run. */
#import "known.h"

@class Upload;
@interface Uploader : Counted
@property (nonatomic, copy) void (^completion)(int bytes);
- (void)finish;
@end
@implementation Uploader
- (void)finish {
    if (self.completion)
        self.completion(12);
}
@end

@interface Upload : Counted
@property (nonatomic, strong) Uploader *uploader;
@property (nonatomic) int sent;
- (void)start;
@end
@implementation Upload
- (void)start {
    self.uploader = [[Uploader alloc] init];
    self.uploader.completion = ^(int bytes) {
        self.sent = bytes;
    };
}
@end

void known_mistake(void) {
    Upload *upload = [[Upload alloc] init];
    [upload start];
    [upload.uploader finish];
    assert(upload.sent == 12);
}
