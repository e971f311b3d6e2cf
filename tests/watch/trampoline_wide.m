/*
 * Vectors of 256 bits in registers, which must keep their upper halves. Compiled for processors with AVX,
 * and called on those only.
 */
#import <Foundation/Foundation.h>

BOOL wideVectorsAreKept(void);

#if defined(__AVX__)
typedef double Wide __attribute__((vector_size(32)));

@interface WideCalls : NSObject
@end

@implementation WideCalls
- (Wide)wide:(Wide)a plus:(Wide)b {
    return a + b;
}
@end

BOOL wideVectorsAreKept(void) {
    WideCalls *wide = [[WideCalls alloc] init];
    Wide sum = [wide wide:(Wide){1, 2, 3, 4} plus:(Wide){10, 20, 30, 40}];
    return sum[0] == 11 && sum[1] == 22 && sum[2] == 33 && sum[3] == 44;
}
#else
BOOL wideVectorsAreKept(void) {
    return YES;
}
#endif
