/*
 * Screen.h - what is on the display: one screen on top of another, as in any navigation app.
 */
#import <Foundation/Foundation.h>

@interface Screen : NSObject
@property (nonatomic, copy, readonly) NSString *title;
- (instancetype)initWithTitle:(NSString *)title;
/* Called once the screen is on top, and once it has been taken off. */
- (void)didOpen;
- (void)didClose;
@end

@interface Navigator : NSObject
- (void)push:(Screen *)screen;
- (void)pop;
@end

/* The three screens of the browser. Each of them leaks, in a way of its own. */
@interface PhotoScreen : Screen
@end

@interface AlbumScreen : Screen
@end

@interface SlideShowScreen : Screen
@end
