// The main program of every test. SINEW_CACHE_SIZES="L1,L2,L3" (KiB) lets Eigen believe in another processor's caches.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cstdio>
#include <cstdlib>

int main(int count, char** words) {
  testing::InitGoogleTest(&count, words);
  if (const char* sizes = std::getenv("SINEW_CACHE_SIZES")) {
    long l1 = 0;
    long l2 = 0;
    long l3 = 0;
    if (std::sscanf(sizes, "%ld,%ld,%ld", &l1, &l2, &l3) != 3) {
      std::fprintf(stderr, "SINEW_CACHE_SIZES is '%s'; it must be three sizes in KiB, as 48,2048,266240\n", sizes);
      return 2;
    }
    Eigen::setCpuCacheSizes(1024 * l1, 1024 * l2, 1024 * l3);
  }
  return RUN_ALL_TESTS();
}
