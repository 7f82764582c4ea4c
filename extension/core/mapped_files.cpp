#include "mapped_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/interprocess/exceptions.hpp>
#include <boost/interprocess/file_mapping.hpp>
#include <boost/interprocess/mapped_region.hpp>
#include <cerrno>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "huge_pages.hpp"

namespace doublets {

namespace ipc = boost::interprocess;

namespace {

// A mapped file, mapped a second time if it is large.
struct Region {
  ipc::mapped_region mapping;
  char* aligned;

  explicit Region(ipc::mapped_region&& region)
      : mapping(std::move(region)), aligned(map_aligned(static_cast<char*>(mapping.get_address()), mapping.get_size())) {}
  Region(Region&& other) noexcept : mapping(std::move(other.mapping)), aligned(std::exchange(other.aligned, nullptr)) {}
  ~Region() {
    if (aligned != nullptr) unmap_aligned(aligned, mapping.get_size());
  }
  char* base() const { return aligned != nullptr ? aligned : static_cast<char*>(mapping.get_address()); }
};

}  // namespace

struct MappedFiles::Regions {
  std::string directory;
  std::vector<Region> regions;  // in order of chunks

  std::string path(std::uint64_t number) const { return directory + "/chunk-" + std::to_string(number); }
};

namespace {

// Calls f, which returns a FileStatus; turns what it throws into one.
template <class F>
FileStatus without_exceptions(int& error, F f) noexcept {
  try {
    return f();
  } catch (const ipc::interprocess_exception& e) {
    error = e.get_native_error();
    switch (e.get_error_code()) {
      case ipc::not_found_error:
        return FileStatus::kMissing;
      case ipc::out_of_space_error:
        return FileStatus::kNoSpace;
      case ipc::out_of_memory_error:
      case ipc::out_of_resource_error:
        return FileStatus::kNoMemory;
      default:
        // mmap says ENOMEM when the address space is used up; Boost has no name for it.
        return error == ENOMEM ? FileStatus::kNoMemory : FileStatus::kError;
    }
  } catch (const std::bad_alloc&) {
    error = ENOMEM;
    return FileStatus::kNoMemory;
  } catch (...) {
    error = 0;
    return FileStatus::kError;
  }
}

}  // namespace

MappedFiles::MappedFiles(Heap& heap, const char* directory) noexcept : heap_(heap) {
  (void)without_exceptions(errno_, [&] {
    auto regions = std::make_unique<Regions>();
    regions->directory = directory;
    regions->regions.reserve(kMaxChunks);  // adding a region cannot throw
    regions_ = std::move(regions);
    return FileStatus::kOk;
  });
}

MappedFiles::~MappedFiles() { heap_.release_local(); }

FileStatus MappedFiles::from_errno(int error) noexcept {
  errno_ = error;
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return FileStatus::kMissing;
    case EEXIST:
      return FileStatus::kExists;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return FileStatus::kNoSpace;
    case ENOMEM:
    case EMFILE:
    case ENFILE:
      return FileStatus::kNoMemory;
    default:
      return FileStatus::kError;
  }
}

// Makes the file of a chunk, zeroed, with its disk space reserved. A file of a chunk that
// was never published (its maker died) is taken over; nobody maps it.
FileStatus MappedFiles::make_file(std::uint64_t number, std::size_t bytes) noexcept {
  return without_exceptions(errno_, [&] {
    const std::string path = regions_->path(number);
    const int flags = O_RDWR | O_CREAT | O_CLOEXEC | (number == 0 ? O_EXCL : O_TRUNC);
    const int file = ::open(path.c_str(), flags, 0600);
    if (file < 0) return from_errno(errno);
    int error;
    do error = ::posix_fallocate(file, 0, static_cast<off_t>(bytes));
    while (error == EINTR);
    ::close(file);
    if (error == 0) return FileStatus::kOk;
    ::unlink(path.c_str());
    return from_errno(error);
  });
}

FileStatus MappedFiles::map_file(std::uint64_t number, std::size_t bytes, char*& base) noexcept {
  return without_exceptions(errno_, [&] {
    const std::string path = regions_->path(number);
    struct stat state;
    if (::stat(path.c_str(), &state) != 0) return from_errno(errno);
    if (static_cast<std::uint64_t>(state.st_size) < bytes) return FileStatus::kDamaged;
    const ipc::file_mapping file(path.c_str(), ipc::read_write);
    ipc::mapped_region region(file, ipc::read_write, 0, bytes);
    base = regions_->regions.emplace_back(std::move(region)).base();
    return FileStatus::kOk;
  });
}

FileStatus MappedFiles::create(std::size_t bytes, void (*format)(void*, char*), void* context) noexcept {
  if (regions_ == nullptr || !heap_.reserve_local(bytes)) return FileStatus::kNoMemory;
  FileStatus status = make_file(0, bytes);
  if (status != FileStatus::kOk) return status;
  char* base = nullptr;
  status = map_file(0, bytes, base);
  if (status != FileStatus::kOk) {
    remove();
    return status;
  }
  format(context, base);
  heap_.map_next_chunk(base);
  return FileStatus::kOk;
}

FileStatus MappedFiles::open() noexcept {
  if (regions_ == nullptr) return FileStatus::kNoMemory;
  char* base = nullptr;
  FileStatus status = map_file(0, sizeof(HeapHeader), base);
  if (status != FileStatus::kOk) return status;
  const auto* header = reinterpret_cast<const HeapHeader*>(base);
  const bool known = Heap::recognises(base) && header->chunk_count.load() >= 1 && header->chunk_count.load() <= kMaxChunks;
  const std::size_t bytes = known ? header->chunks[0].units * kUnitBytes : 0;
  regions_->regions.pop_back();  // the whole of it now
  if (!known || bytes < sizeof(HeapHeader)) return FileStatus::kDamaged;
  if (!heap_.reserve_local(bytes)) return FileStatus::kNoMemory;
  status = map_file(0, bytes, base);
  if (status != FileStatus::kOk) return status;
  heap_.map_next_chunk(base);
  return catch_up();
}

FileStatus MappedFiles::catch_up() noexcept {
  while (!heap_.fully_mapped()) {
    const std::uint32_t number = heap_.mapped_chunks();
    const ChunkEntry& entry = heap_.header().chunks[number];
    const std::size_t bytes = static_cast<std::size_t>(entry.units) * kUnitBytes;
    if (entry.handle != number) return FileStatus::kDamaged;
    if (!heap_.reserve_local(bytes)) return FileStatus::kNoMemory;
    char* base = nullptr;
    const FileStatus status = map_file(number, bytes, base);
    if (status != FileStatus::kOk) return status;
    heap_.map_next_chunk(base);
  }
  return FileStatus::kOk;
}

FileStatus MappedFiles::grow(std::uint32_t units, std::size_t bytes) noexcept {
  FileStatus status = catch_up();
  if (status != FileStatus::kOk) return status;
  if (bytes == 0) bytes = Heap::next_chunk_bytes(heap_.header(), units);
  const std::uint32_t number = heap_.mapped_chunks();
  if (number == kMaxChunks || !heap_.reserve_local(bytes)) return FileStatus::kNoMemory;
  status = make_file(number, bytes);
  if (status != FileStatus::kOk) return status;
  char* base = nullptr;
  status = map_file(number, bytes, base);
  if (status == FileStatus::kOk) bring_in(base, bytes);
  if (status == FileStatus::kOk && heap_.add_chunk(number, base, bytes) == Status::kOk) return FileStatus::kOk;
  if (status == FileStatus::kOk) regions_->regions.pop_back();
  (void)without_exceptions(errno_, [&] {
    ::unlink(regions_->path(number).c_str());
    return FileStatus::kOk;
  });
  return status == FileStatus::kOk ? FileStatus::kNoMemory : status;
}

void MappedFiles::remove() noexcept {
  if (regions_ == nullptr) return;
  (void)without_exceptions(errno_, [&] {
    for (std::uint64_t number = 0; number < kMaxChunks; ++number)
      if (::unlink(regions_->path(number).c_str()) != 0) break;
    return FileStatus::kOk;
  });
}

}  // namespace doublets
