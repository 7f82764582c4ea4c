// A provider of chunks: files in a directory, mapped with Boost.Interprocess.
//
// For unit tests, fuzzing and micro-benchmarks. Any process may open the directory and
// sees the same store at addresses of its own. Chunk n is the file `chunk-<n>`, and n is
// its handle.
//
// Disk space is reserved before a file is mapped, so a full disk is a status and never a
// signal. Files are only created and mapped, never resized while mapped. No exception
// leaves this class. Not part of the server module.
//
// Locks: a MappedFiles and its Heap belong to one process. create and open need no lock
// (the caller sees to it that nobody opens what is being created), catch_up the store's
// lock shared, grow exclusive. There is no lock in the files.
#pragma once

#include <memory>

#include "heap.hpp"

namespace doublets {

enum class [[nodiscard]] FileStatus : std::uint8_t {
  kOk,
  kExists,    // create: there is a store in the directory
  kMissing,   // no such directory, or a file of the store is not there
  kDamaged,   // a file is shorter than the directory of chunks says, or no store's
  kNoSpace,   // the disk or the quota is full; nothing was changed
  kNoMemory,  // the process has no memory or address space left, or no chunk can be added
  kError,     // anything else: see last_errno
};

class MappedFiles {
 public:
  // `directory` must exist for create and open to succeed. The heap maps nothing else, and
  // after this object has gone nothing at all.
  MappedFiles(Heap& heap, const char* directory) noexcept;
  ~MappedFiles();
  MappedFiles(const MappedFiles&) = delete;
  MappedFiles& operator=(const MappedFiles&) = delete;

  // Makes the first chunk, zeroed, `bytes` long. format(context, base) must make it a
  // store with chunk handle 0; then the heap maps it.
  FileStatus create(std::size_t bytes, void (*format)(void* context, char* base), void* context) noexcept;

  // Maps the store found in the directory.
  FileStatus open() noexcept;

  // Adds a chunk of `bytes`, 0: of the size the heap wants, with room for `units`.
  FileStatus grow(std::uint32_t units, std::size_t bytes = 0) noexcept;

  // Maps the chunks other processes have added. Cheap when there are none.
  FileStatus catch_up() noexcept;

  // Removes the files of the store. Mappings stay valid until the object goes.
  void remove() noexcept;

  // Of the last kError, kNoSpace or kMissing.
  int last_errno() const noexcept { return errno_; }

 private:
  struct Regions;

  FileStatus make_file(std::uint64_t number, std::size_t bytes) noexcept;
  FileStatus map_file(std::uint64_t number, std::size_t bytes, char*& base) noexcept;
  FileStatus from_errno(int error) noexcept;

  Heap& heap_;
  std::unique_ptr<Regions> regions_;  // null: the constructor found no memory
  int errno_ = 0;
};

}  // namespace doublets
