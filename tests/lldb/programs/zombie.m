/* A message to an object that was freed, which its holder still points to: gnustep-base ends the program
 * for it where that is a zombie; else it crashes. */
#import <Foundation/Foundation.h>

@interface Letter : NSObject
@end

@implementation Letter
@end

@interface Envelope : NSObject {
  @public
    Letter *_letter;
}
@end

@implementation Envelope
@end

static Envelope *envelope;

int main(void) {
    envelope = [[Envelope alloc] init];
    envelope->_letter = [[Letter alloc] init];
    [envelope->_letter release];
    [envelope->_letter description];
    return 0;
}
