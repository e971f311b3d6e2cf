/* A library that a program loads when it runs. Stripped of all names. */
#import <Foundation/Foundation.h>

@interface Effect : NSObject {
    int _strength;
}
- (int)apply:(int)number;
@end

@implementation Effect
- (int)apply:(int)number {
    return number + _strength;
}
@end

@interface Blur : Effect
- (void)setUp;
@end

@implementation Blur
- (void)setUp {
    _strength = 0;
}
@end
