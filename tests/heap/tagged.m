/* An object with values that are pointers themselves, on Apple's layout; prints its address and
 * waits to be ended. */
#import "NSTagged.h"

#include <stdio.h>

@interface Folder : NSObject {
  @public
    NSMutableDictionary *entries;
}
@end

@implementation Folder
@end

@interface Sample : NSObject {
  @public
    NSString *bytes, *six, *five, *empty;
    NSNumber *one, *negative, *real, *single, *largest, *vast, *yes, *no;
    NSDate *date;
    NSIndexPath *path;
    NSArray *list;
    const char *label;
    char *astray, *endless, *nothing;
    SEL action;
    Folder *folder;
}
@end

@implementation Sample
@end

Sample *kept;
static char endless[2000];

static Folder *folder_in_itself(void) {
    Folder *folder = [[Folder alloc] init];
    folder->entries = [[NSMutableDictionary alloc] init];
    [folder->entries setObject:folder forKey:loupe_test_tagged_string("inbox")];
    [folder->entries setObject:@7 forKey:loupe_test_tagged_string("count")];
    return folder;
}

static void fill(Sample *sample) {
    sample->bytes = loupe_test_tagged_string("seven77");
    sample->six = loupe_test_tagged_string("New_Views");
    sample->five = loupe_test_tagged_string("instruments");
    sample->empty = loupe_test_tagged_string("");
    sample->one = @1;
    sample->negative = @-9000000000;
    sample->real = @2.5;
    sample->single = @0.5f;
    sample->largest = @(LLONG_MAX);
    sample->vast = @(ULLONG_MAX);
    sample->yes = @YES;
    sample->no = @NO;
    sample->date = [NSDate dateWithTimeIntervalSinceReferenceDate:721692800.25];
    NSUInteger indexes[] = {1, 3};
    sample->path = [NSIndexPath indexPathWithIndexes:indexes length:2];
    sample->list = @[ @1, sample, loupe_test_tagged_string("in it") ];
    sample->folder = folder_in_itself();
}

static void fill_strings_of_c(Sample *sample) {
    for (unsigned i = 0; i < sizeof(endless) - 1; i++)
        endless[i] = (char)('a' + i % 26);
    sample->label = "said in C \x1b[31m";
    sample->astray = (char *)8;
    sample->endless = endless;
    sample->action = @selector(setObject:forKey:);
}

void tagged_ready(Sample *sample);
void tagged_ready(Sample *sample) {
    printf("%p\n", (__bridge void *)sample);
    fflush(stdout);
}

int main(void) {
    Sample *sample = kept = [[Sample alloc] init];
    NSString *title = loupe_test_tagged_string("local");
    fill(sample);
    fill_strings_of_c(sample);
    tagged_ready(sample);
    if (!title)
        return 1;
    getchar();
    return 0;
}
