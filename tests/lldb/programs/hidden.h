/* A class whose header shows no ivars, as those of libraries do. */
#import <Foundation/Foundation.h>

@interface Hidden : NSObject
- (void)keep:(id)kept;
@end
