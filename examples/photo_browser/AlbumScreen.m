/*
 * The photos of an album. Its grid keeps the delegate strongly: screen -> grid -> screen.
 */
#import "Screen.h"

@class PhotoGrid;

@protocol PhotoGridDelegate <NSObject>
- (void)photoGrid:(PhotoGrid *)grid didSelect:(NSUInteger)index;
@end

@interface PhotoGrid : NSObject
@property (nonatomic, strong) id<PhotoGridDelegate> delegate;
@property (nonatomic, copy) NSArray<NSString *> *photos;
- (void)tap:(NSUInteger)index;
@end

@implementation PhotoGrid

- (void)tap:(NSUInteger)index {
    [self.delegate photoGrid:self didSelect:index];
}

@end

@interface AlbumScreen () <PhotoGridDelegate>
@end

@implementation AlbumScreen {
    PhotoGrid *_grid;
    NSString *_selected;
}

- (void)didOpen {
    _grid = [[PhotoGrid alloc] init];
    _grid.photos = @[ @"beach", @"forest", @"harbour" ];
    _grid.delegate = self;
    [_grid tap:1];
}

- (void)photoGrid:(PhotoGrid *)grid didSelect:(NSUInteger)index {
    _selected = grid.photos[index];
}

@end
