/* A setter forgets what was there before. */
#import "known.h"

@interface Font : Counted
@end
@implementation Font
@end

@interface Caption : Counted {
    Font *font;
}
- (void)setFont:(Font *)aFont;
- (Font *)font;
@end
@implementation Caption
- (void)setFont:(Font *)aFont {
    font = [aFont retain];
}
- (Font *)font {
    return font;
}
- (void)dealloc {
    [font release];
    [super dealloc];
}
@end

void known_mistake(void) {
    Caption *caption = [[Caption alloc] init];
    for (int i = 0; i < 3; i++) {
        Font *made = [[Font alloc] init];
        [caption setFont:made];
        assert([caption font] == made);
        [made release];
    }
    [caption release];
}
