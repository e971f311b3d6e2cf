# Untried on a Mac. url and sha256 are those of loupe-VERSION-source.tar.gz of a release
# (packaging/release.sh prints the latter).
class Loupe < Formula
  desc "Find out why Objective-C objects and Java heaps stay alive"
  homepage "https://loupe.invalid"
  url "https://loupe.invalid/releases/loupe-0.1.0-source.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "MIT"

  depends_on "cmake" => :build
  depends_on "llvm" => :build # headers of LLDB; the plugin is loaded by any LLDB from 14 on

  uses_from_macos "sqlite"
  uses_from_macos "zlib"

  def install
    # The compiler is Apple's: only headers are taken from LLVM.
    system "cmake", "-S", ".", "-B", "build", "-DLOUPE_BUILD_TESTS=OFF",
           "-DLOUPE_LLDB_HEADERS=#{Formula["llvm"].opt_include}", *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
  end

  def caveats
    <<~EOS
      To load the commands in LLDB and Xcode, add this line to ~/.lldbinit:
        command script import #{opt_share}/loupe
    EOS
  end

  test do
    assert_match "loupe #{version}", shell_output("#{bin}/loupe --version")
    assert_match "strong", shell_output("#{bin}/loupe explain layout 0x111")
  end
end
