/*
 * What ./run demo --watch runs, without a debugger: a photo is opened and closed again. As people write
 * it the screen lives on; with the argument --repaired it dies. All of it is in this file, to be read at
 * once: the toolkit that tests know screens by is tests/watch/uikit.
 */
#import <Foundation/Foundation.h>

#include <string.h>
#include <unistd.h>

static BOOL isRepaired;

@interface Screen : NSObject
- (void)didClose;
@end

@implementation Screen
- (void)didClose {
}
@end

@interface Download : NSObject
@property(nonatomic, copy) void (^onProgress)(double part);
@end

@implementation Download
@end

@interface PhotoScreen : Screen
@property(nonatomic, strong) Download *download;
@property(nonatomic) double progress;
@end

@implementation PhotoScreen

- (instancetype)init {
    self = [super init];
    if (!self)
        return nil;
    self.download = [[Download alloc] init];
    if (isRepaired) {
        __weak PhotoScreen *weakSelf = self;
        self.download.onProgress = ^(double part) {
            weakSelf.progress = part;
        };
    } else {
        self.download.onProgress = ^(double part) {
            self.progress = part;
        };
    }
    return self;
}

@end

@interface Navigator : NSObject
@property(nonatomic, strong) NSMutableArray *screens;
- (void)push:(Screen *)screen;
- (void)pop;
@end

@implementation Navigator

- (instancetype)init {
    self = [super init];
    if (self)
        self.screens = [[NSMutableArray alloc] init];
    return self;
}

- (void)push:(Screen *)screen {
    [self.screens addObject:screen];
}

- (void)pop {
    Screen *screen = [self.screens lastObject];
    [self.screens removeLastObject];
    [screen didClose];
}

@end

int main(int count, char **arguments) {
    isRepaired = count > 1 && strcmp(arguments[1], "--repaired") == 0;
    Navigator *navigator = [[Navigator alloc] init];
    @autoreleasepool {
        [navigator push:[[PhotoScreen alloc] init]];
        [navigator pop];
    }
    sleep(3);
    return 0;
}
