/* What a dictionary holds keeps the dictionary's owner. */
#import "known.h"

@interface NewsFeed : Counted
@property (nonatomic, strong) NSMutableDictionary *articles;
@end
@interface NewsArticle : Counted
@property (nonatomic, strong) NewsFeed *feed;
@end
@implementation NewsFeed
@end
@implementation NewsArticle
@end

void known_mistake(void) {
    NewsFeed *feed = [[NewsFeed alloc] init];
    feed.articles = [[NSMutableDictionary alloc] init];
    NewsArticle *article = [[NewsArticle alloc] init];
    article.feed = feed;
    [feed.articles setObject:article forKey:@"one"];
    assert([[feed.articles objectForKey:@"one"] feed] == feed);
}
