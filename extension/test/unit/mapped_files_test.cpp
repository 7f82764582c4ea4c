// Stores in mapped files: bad directories and full disks are answers, and several processes
// work on one store that each of them sees at another address.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <string>

#include "core/huge_pages.hpp"
#include "core/mapped_files.hpp"
#include "core/store.hpp"

namespace doublets {
namespace {

constexpr std::size_t kFirst = kFirstChunkBytes;

void format_store(void* layout, char* base) {
  Store::format(base, kFirst, 0, *static_cast<Layout*>(layout), false, 7);
}

class MappedFilesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    directory_ = ::testing::TempDir() + "doublets-mapped-XXXXXX";
    ASSERT_NE(::mkdtemp(directory_.data()), nullptr);
  }
  void TearDown() override {
    Heap heap;
    MappedFiles(heap, directory_.c_str()).remove();
    EXPECT_EQ(::rmdir(directory_.c_str()), 0) << "files were left over";
  }
  std::string directory_;
  Layout layout_ = Layout::kSplit;
};

TEST_F(MappedFilesTest, AStoreIsFoundAgain) {
  {
    Heap heap;
    MappedFiles files(heap, directory_.c_str());
    ASSERT_EQ(files.create(kFirst, format_store, &layout_), FileStatus::kOk);
    ASSERT_EQ(files.grow(1), FileStatus::kOk);
    const Ref<Version> v = heap.take<Version>();
    heap.at(v) = {11, 22, 33, {}, {}};
    heap.header().chunks[kMaxChunks - 1].handle = v.unit;  // somewhere to note it
  }
  Heap heap;
  MappedFiles files(heap, directory_.c_str());
  ASSERT_EQ(files.open(), FileStatus::kOk);
  EXPECT_EQ(heap.mapped_chunks(), 2u);
  const Ref<Version> v{static_cast<std::uint32_t>(heap.header().chunks[kMaxChunks - 1].handle)};
  EXPECT_EQ(heap.at(v).target, 33);
}

TEST_F(MappedFilesTest, LargeChunksLieWhereHugePagesFit) {
  Heap heap, other;
  MappedFiles files(heap, directory_.c_str()), more(other, directory_.c_str());
  ASSERT_EQ(files.create(kFirst, format_store, &layout_), FileStatus::kOk);
  ASSERT_EQ(files.grow(1, kHugePageBytes + 4096), FileStatus::kOk);
  ASSERT_EQ(more.open(), FileStatus::kOk);
  const ChunkEntry& chunk = heap.header().chunks[1];
  for (const Heap* view : {&heap, &other})
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(view->address(chunk.first_unit)) % kHugePageBytes, 0u);
  EXPECT_NE(heap.address(chunk.first_unit), other.address(chunk.first_unit));
  const std::uint32_t last = chunk.first_unit + chunk.units - 1;
  heap.at(Ref<Version>{last}).target = 33;
  EXPECT_EQ(other.at(Ref<Version>{last}).target, 33);
}

TEST_F(MappedFilesTest, ASecondStoreIsRefused) {
  Heap heap, other;
  MappedFiles files(heap, directory_.c_str()), more(other, directory_.c_str());
  ASSERT_EQ(files.create(kFirst, format_store, &layout_), FileStatus::kOk);
  EXPECT_EQ(more.create(kFirst, format_store, &layout_), FileStatus::kExists);
  EXPECT_EQ(files.grow(1), FileStatus::kOk);
}

TEST_F(MappedFilesTest, MissingFilesAreAnAnswer) {
  Heap heap;
  EXPECT_EQ(MappedFiles(heap, "/nonexistent/directory").create(kFirst, format_store, &layout_), FileStatus::kMissing);
  EXPECT_EQ(MappedFiles(heap, "/nonexistent/directory").open(), FileStatus::kMissing);
  EXPECT_EQ(MappedFiles(heap, directory_.c_str()).open(), FileStatus::kMissing);
  {
    Heap made;
    MappedFiles files(made, directory_.c_str());
    ASSERT_EQ(files.create(kFirst, format_store, &layout_), FileStatus::kOk);
    ASSERT_EQ(files.grow(1), FileStatus::kOk);
  }
  ASSERT_EQ(::unlink((directory_ + "/chunk-1").c_str()), 0);
  EXPECT_EQ(MappedFiles(heap, directory_.c_str()).open(), FileStatus::kMissing);
}

TEST_F(MappedFilesTest, DamagedFilesAreAnAnswer) {
  std::ofstream(directory_ + "/chunk-0") << std::string(kFirst, 'x');
  Heap heap;
  EXPECT_EQ(MappedFiles(heap, directory_.c_str()).open(), FileStatus::kDamaged);
  std::ofstream(directory_ + "/chunk-0", std::ios::trunc) << "short";
  EXPECT_EQ(MappedFiles(heap, directory_.c_str()).open(), FileStatus::kDamaged);
  ASSERT_EQ(::unlink((directory_ + "/chunk-0").c_str()), 0);
  {
    Heap made;
    MappedFiles files(made, directory_.c_str());
    ASSERT_EQ(files.create(kFirst, format_store, &layout_), FileStatus::kOk);
    ASSERT_EQ(files.grow(1), FileStatus::kOk);
  }
  ASSERT_EQ(::truncate((directory_ + "/chunk-1").c_str(), 100), 0);
  EXPECT_EQ(MappedFiles(heap, directory_.c_str()).open(), FileStatus::kDamaged);
}

// A file size limit stands for a full disk: reserving the space fails the same way.
TEST_F(MappedFilesTest, AFullDiskIsAnAnswerAndChangesNothing) {
  Heap heap;
  MappedFiles files(heap, directory_.c_str());
  ASSERT_EQ(files.create(kFirst, format_store, &layout_), FileStatus::kOk);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{kFirst / 2, kFirst / 2};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(2);
    const bool refused = files.grow(1) == FileStatus::kNoSpace;
    const bool unchanged = heap.header().chunk_count == 1 && heap.mapped_chunks() == 1;
    const bool gone = ::access((directory_ + "/chunk-1").c_str(), F_OK) != 0;
    ::_exit(refused && unchanged && gone ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_EQ(files.grow(1), FileStatus::kOk);
}

// ---- several processes ------------------------------------------------------------

bool includes(void*, const TxnSlot& slot, CommandId) noexcept { return load_state(slot) == TxnState::kCommitted; }
Fate fate(void*, const TxnSlot&) noexcept { return Fate::kCommitted; }

using Model = std::map<LinkId, std::pair<std::int64_t, std::int64_t>>;

// A process of the ring: change number n is made in the store by process n % size, and in
// the model, which all of them keep for themselves, by everyone.
class Process {
 public:
  Process(const char* directory, int number, int size) : files_(heap_, directory), number_(number), size_(size) {}

  // Maps the store at an address of its own; null on failure.
  const char* open() {
    // Takes as many places that would do for the first chunk as it has a number, so that its
    // own comes after them.
    for (int i = 0; i < number_ * 20; ++i)
      if (::mmap(nullptr, kFirst, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED) return nullptr;
    return files_.open() == FileStatus::kOk ? heap_.address(0) : nullptr;
  }

  // The next change; compares everything when it is this process's turn. False: a fault.
  bool step(int n) {
    const bool turn = n % size_ == number_;
    if (turn && (files_.catch_up() != FileStatus::kOk || !equal())) return false;
    const auto kind = random_() % 4;
    const std::pair<std::int64_t, std::int64_t> ends(random_() % 30, random_() % 30);
    const std::uint64_t pick = random_();
    if (model_.empty() || kind < 2) {
      const auto id = static_cast<LinkId>(1 + pick % 3000);
      const bool is_new = model_.count(id) == 0;
      if (turn) {
        const WriteResult r = write(n, [&](Store& store, const Writer& w) {
          LinkInput link{id, ends.first, ends.second, {}};
          std::size_t done = 0;
          return store.insert(&link, 1, w, done);
        });
        if (r.status != (is_new ? Status::kOk : Status::kDuplicateId)) return false;
      }
      if (is_new) model_[id] = ends;
      return true;
    }
    const auto it = std::next(model_.begin(), static_cast<std::ptrdiff_t>(pick % model_.size()));
    if (turn) {
      const WriteResult r = write(n, [&](Store& store, const Writer& w) {
        const Ref<Version> v = store.find(it->first, Visibility{includes, nullptr});
        LinkInput link{it->first, ends.first, ends.second, {}};
        return kind == 2 ? store.erase(v, w) : store.update(v, link, w);
      });
      if (r.status != Status::kOk) return false;
    }
    if (kind == 2)
      model_.erase(it);
    else
      it->second = ends;
    return true;
  }

  bool equal() {
    Store store(heap_);
    Model found;
    LinkRow rows[300];
    std::uint64_t passed = 0;
    for (Position position; !position.done;) {
      const std::size_t n = store.scan(Search{}, position, Visibility{includes, nullptr}, rows, std::size(rows), passed);
      for (std::size_t i = 0; i < n; ++i) found[rows[i].id] = {rows[i].source, rows[i].target};
    }
    bool sound = true;
    store.verify([](void* flag, const char*) { *static_cast<bool*>(flag) = false; }, &sound);
    return sound && found == model_;
  }

 private:
  template <class Change>
  WriteResult write(int n, Change change) {
    Store store(heap_);
    Ref<TxnSlot> slot{};
    const Writer w{100 + static_cast<TxnId>(n), 1, slot, Oracle{fate, nullptr}};
    WriteResult r = change(store, w);
    while (r.status == Status::kNeedMemory) {
      if (files_.grow(r.units) != FileStatus::kOk) return r;
      r = change(store, w);
    }
    if (slot) store_state(heap_.at(slot), TxnState::kCommitted);
    (void)store.settle(101 + static_cast<TxnId>(n), n % 3 == 0 ? 100 : 0);
    return r;
  }

  Heap heap_;
  MappedFiles files_;
  int number_;
  int size_;
  Model model_;
  std::mt19937_64 random_{4711};
};

TEST_F(MappedFilesTest, ProcessesShareOneStoreAtDifferentAddresses) {
  constexpr int kProcesses = 3;
  constexpr int kSteps = 1500;
  for (const Layout layout : {Layout::kSplit, Layout::kUnited}) {
    layout_ = layout;
    {
      Heap heap;
      MappedFiles files(heap, directory_.c_str());
      ASSERT_EQ(files.create(kFirst, format_store, &layout_), FileStatus::kOk);
    }
    // A ring of pipes: who holds the token (a byte) holds the store's lock.
    int ring[kProcesses][2], results[2];
    for (auto& link : ring) ASSERT_EQ(::pipe(link), 0);
    ASSERT_EQ(::pipe(results), 0);
    pid_t children[kProcesses];
    for (int p = 0; p < kProcesses; ++p) {
      children[p] = ::fork();
      ASSERT_GE(children[p], 0);
      if (children[p] != 0) continue;
      Process process(directory_.c_str(), p, kProcesses);
      const char* base = process.open();
      bool good = base != nullptr;
      char token = 1;
      for (int n = 0; n < kSteps; ++n) {
        const bool turn = n % kProcesses == p;
        if (turn && ::read(ring[p][0], &token, 1) != 1) ::_exit(3);
        good = good && process.step(n);
        if (turn && ::write(ring[(p + 1) % kProcesses][1], &token, 1) != 1) ::_exit(3);
      }
      if (::write(results[1], &base, sizeof(base)) != sizeof(base)) ::_exit(3);
      ::_exit(good ? 0 : 1);
    }
    char token = 1;
    ASSERT_EQ(::write(ring[0][1], &token, 1), 1);
    std::set<const char*> addresses;
    for (const pid_t child : children) {
      int status = 0;
      ASSERT_EQ(::waitpid(child, &status, 0), child);
      EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "a process found other links than the model";
      const char* base = nullptr;
      ASSERT_EQ(::read(results[0], &base, sizeof(base)), static_cast<ssize_t>(sizeof(base)));
      addresses.insert(base);
    }
    EXPECT_EQ(addresses.size(), std::size_t{kProcesses}) << "the processes mapped the store at the same address";
    for (auto& link : ring) {
      ::close(link[0]);
      ::close(link[1]);
    }
    ::close(results[0]);
    ::close(results[1]);
    Heap heap;
    MappedFiles files(heap, directory_.c_str());
    ASSERT_EQ(files.open(), FileStatus::kOk);
    EXPECT_GT(heap.mapped_chunks(), 1u);
    files.remove();
  }
}

}  // namespace
}  // namespace doublets
