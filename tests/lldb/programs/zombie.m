/* A message to a zombie, which gnustep-base ends the program for. */
#import <Foundation/Foundation.h>

@interface Letter : NSObject
@end

@implementation Letter
@end

int main(void) {
    Letter *letter = [[Letter alloc] init];
    [letter release];
    [letter description];
    return 0;
}
