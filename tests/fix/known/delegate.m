/* A delegate is kept. */
#import "known.h"

@class Download;
@protocol DownloadDelegate <NSObject>
- (void)downloadDidEnd:(Download *)download;
@end

@interface Download : Counted
@property (nonatomic, strong, nullable) id<DownloadDelegate> delegate;
- (void)end;
@end
@implementation Download
- (void)end {
    [self.delegate downloadDidEnd:self];
}
@end

@interface Album : Counted <DownloadDelegate>
@property (nonatomic, strong) Download *download;
@property (nonatomic) int photos;
@end
@implementation Album
- (void)downloadDidEnd:(Download *)download {
    assert(download == self.download);
    self.photos++;
}
@end

void known_mistake(void) {
    Album *album = [[Album alloc] init];
    album.download = [[Download alloc] init];
    album.download.delegate = album;
    [album.download end];
    assert(album.photos == 1);
}
