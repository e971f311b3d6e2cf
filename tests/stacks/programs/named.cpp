// A function whose name the compiler encodes, on a stack.
extern "C" void loupe_fixture_ready();

namespace gallery {
class Album {
  public:
    __attribute__((noinline)) void open(int page);

  private:
    int _page = 0;
};

void Album::open(int page) {
    loupe_fixture_ready();
    _page = page;
}
} // namespace gallery

int main() {
    gallery::Album().open(3);
}
