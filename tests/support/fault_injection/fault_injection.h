// Faults of disk and memory on purpose. libsinew_fault_injection precedes the C library, either
// because a test program is linked with it (class Faults), or in a process of its own:
//
//   LD_PRELOAD=libsinew_fault_injection.so SINEW_FAULTS='write:3+:ENOSPC' SINEW_FAULTS_PATH=/some/folder sinew ...
//
// A plan is rules "CALL:N:HOW" with commas between them: the N-th CALL fails so; with "N+", all from the N-th on.
//   CALL  write (also pwrite, writev), fsync, fdatasync, close, rename, link, unlink, ftruncate, open (for writing),
//   mkdir,
//         malloc (also calloc, realloc, aligned ones)
//   HOW   a name of errno (ENOSPC, EIO, EDQUOT, EACCES, EINTR, ENOMEM, EROFS, EXDEV): the call does nothing but fail;
//         of close the descriptor is closed all the same, as the kernel does;
//         short: half of the bytes are written, which is no failure;
//         kill, killafter: SIGKILL before or after the call.
// A full disk is "write:1:short,write:2+:ENOSPC,open:1+:ENOSPC".
//
// By the environment of a process:
//   SINEW_FAULTS        the plan
//   SINEW_FAULTS_PATH   only files whose path contains this; without it all plain files and folders, never pipes or
//   sockets SINEW_FAULTS_WHILE  a file; nothing fails or is counted unless it exists (a disk is full, and is freed)
//   SINEW_FAULTS_SKIP_SYNC fsync and fdatasync count and fail as planned but do not wait for the disk: for tests in
//   which the
//                       machine itself does not go down
//   SINEW_FAULTS_REPORT a file to which the numbers of calls go when the process ends: "write 12", ..., "made 1"
#pragma once

#include <cstddef>
#include <string>

extern "C" {
/// Counts from 0. Returns 0 where the plan cannot be read.
int sinewFaultsBegin(const char* plan, const char* path);
void sinewFaultsEnd(void);
/// As SINEW_FAULTS_SKIP_SYNC.
void sinewFaultsSkipSync(int skip);
/// Of the calls of this name since the plan began, or of all faults that were made ("made").
std::size_t sinewFaultsCount(const char* call);
}

namespace sinew::test {

/// Faults in this process, from its construction to its end.
class Faults {
 public:
  explicit Faults(const std::string& plan, const std::string& path = {});
  ~Faults() { sinewFaultsEnd(); }
  Faults(const Faults&) = delete;
  Faults& operator=(const Faults&) = delete;

  [[nodiscard]] static std::size_t made() { return sinewFaultsCount("made"); }
  [[nodiscard]] static std::size_t count(const char* call) { return sinewFaultsCount(call); }
};

}  // namespace sinew::test
