# Homebrew on Linux: brew install --build-from-source --HEAD packaging/homebrew/ireneo.rb
# The sources are those of the clone that this file lies in.
class Ireneo < Formula
  desc "How many facts a neural memory holds, storing them, and proving it"
  license "BSD-3-Clause"
  head "file://#{File.expand_path("../..", __dir__)}", using: :git, branch: "main"

  depends_on "cmake" => :build
  depends_on "pkgconf" => :build
  depends_on "cjson"
  depends_on "gmp"
  depends_on "libb2"
  depends_on "libedit"
  depends_on "libzip"
  depends_on :linux # the program asks Linux for memory, cores and signals
  depends_on "openblas" # brings LAPACKE, too
  depends_on "sqlite"

  # headers only
  resource "random123" do
    url "https://github.com/DEShawResearch/random123.git", tag: "v1.14.0"
  end

  def install
    resource("random123").stage { (buildpath/"random123").install "include" }
    args = %W[
      -DIRENEO_TESTS=OFF
      -DIRENEO_BENCH=OFF
      -DBLA_VENDOR=OpenBLAS
      -DCMAKE_C_FLAGS=-I#{buildpath}/random123/include
    ]
    system "cmake", "-S", ".", "-B", "build", *args, *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
  end

  test do
    assert_match "facts", shell_output("#{bin}/ireneo capacity --dim 768")
    system bin/"ireneo", "sample", "--dim", "16", "--facts", "30", "-o", "facts"
    system bin/"ireneo", "store", "facts/keys.npy", "facts/values.npy", "-o", "memory.safetensors"
    (testpath/"test.c").write <<~C
      #include <ireneo.h>
      int main(void) { return ireneo_version()[0] == 0; }
    C
    system ENV.cc, "test.c", "-I#{include}", "-L#{lib}", "-lireneo", "-o", "test"
    system "./test"
  end
end
