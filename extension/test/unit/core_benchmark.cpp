// Micro-benchmark of the core: both layouts against a baseline, the same work in one run.
//
//   core_benchmark [--csv=FILE] [--links=N] [--nodes=N] [--rounds=N] [--directory=DIR]
//                  [Google Benchmark's own options]
//
// The baseline is what one would write without this library: a vector of links by id and
// two ordered indexes, std::set of (source, target, id) and of (target, source, id). It
// knows no transactions; the stores do every change in transactions of 100 and settle
// them within the time measured, and take their memory from mapped files as they grow.
//
// Sources and targets are uniform over the nodes. Each round creates all links, searches,
// updates and deletes them all; within an operation the contenders take turns. Times are
// CPU times of the one thread, the kernel's part included, so that a busy machine
// disturbs them less. Every
// contender must find the same: id and ends of each link found go into a checksum, and
// differing checksums end the program with status 1. The CSV has the medians over the
// rounds: operation,layout,baseline_ns,store_ns,ratio. With --benchmark_filter, links are
// created untimed where that is left out, and what was not measured is not reported.
#include <benchmark/benchmark.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "core/mapped_files.hpp"
#include "core/store.hpp"

namespace doublets {
namespace {

struct Ends {
  std::int64_t source;
  std::int64_t target;
};

struct Settings {
  std::string csv;
  std::string directory = "/dev/shm";
  std::size_t links = 1000000;
  std::size_t nodes = 100000;
  std::size_t rounds = 5;
  std::size_t searches = 100000;
  std::size_t updates = 200000;
};

double cpu_seconds() {
  timespec t;
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

// Independent of the order in which links are found.
std::uint64_t digest(LinkId id, std::int64_t source, std::int64_t target) {
  return static_cast<std::uint64_t>(id) * 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(source) * 0xff51afd7ed558ccdu +
         static_cast<std::uint64_t>(target) * 0xc4ceb9fe1a85ec53u;
}

class Contender {
 public:
  virtual ~Contender() = default;
  virtual void create(const std::vector<Ends>& links) = 0;  // ids 1, 2, 3 ...
  virtual std::uint64_t pair(const std::vector<Ends>& wanted) = 0;
  virtual std::uint64_t outgoing(const std::vector<Ends>& wanted) = 0;
  virtual std::uint64_t incoming(const std::vector<Ends>& wanted) = 0;
  virtual std::uint64_t count(const std::vector<Ends>& wanted) = 0;
  virtual std::uint64_t scan() = 0;
  virtual void update(const std::vector<LinkId>& ids, const std::vector<Ends>& links) = 0;
  virtual void remove(const std::vector<LinkId>& ids) = 0;
  virtual double used_bytes() const = 0;
  virtual double allocated_bytes() const = 0;
};

class Baseline : public Contender {
 public:
  void create(const std::vector<Ends>& links) override {
    for (const Ends& e : links) {
      const auto id = static_cast<LinkId>(links_.size());
      links_.push_back(e);
      by_source_.emplace(e.source, e.target, id);
      by_target_.emplace(e.target, e.source, id);
    }
  }
  std::uint64_t pair(const std::vector<Ends>& wanted) override {
    std::uint64_t sum = 0;
    for (const Ends& e : wanted)
      for (auto it = by_source_.lower_bound({e.source, e.target, kLeast}); it != by_source_.end(); ++it) {
        const auto& [source, target, id] = *it;
        if (source != e.source || target != e.target) break;
        sum += digest(id, source, target);
      }
    return sum;
  }
  std::uint64_t outgoing(const std::vector<Ends>& wanted) override {
    std::uint64_t sum = 0;
    for (const Ends& e : wanted)
      for (auto it = by_source_.lower_bound({e.source, kLeast, kLeast}); it != by_source_.end(); ++it) {
        const auto& [source, target, id] = *it;
        if (source != e.source) break;
        sum += digest(id, source, target);
      }
    return sum;
  }
  std::uint64_t incoming(const std::vector<Ends>& wanted) override {
    std::uint64_t sum = 0;
    for (const Ends& e : wanted)
      for (auto it = by_target_.lower_bound({e.target, kLeast, kLeast}); it != by_target_.end(); ++it) {
        const auto& [target, source, id] = *it;
        if (target != e.target) break;
        sum += digest(id, source, target);
      }
    return sum;
  }
  std::uint64_t count(const std::vector<Ends>& wanted) override {
    std::uint64_t sum = 0;
    for (const Ends& e : wanted)
      for (auto it = by_source_.lower_bound({e.source, kLeast, kLeast});
           it != by_source_.end() && std::get<0>(*it) == e.source; ++it)
        ++sum;
    return sum;
  }
  std::uint64_t scan() override {
    std::uint64_t sum = 0;
    for (std::size_t id = 1; id < links_.size(); ++id)
      sum += digest(static_cast<LinkId>(id), links_[id].source, links_[id].target);
    return sum;
  }
  void update(const std::vector<LinkId>& ids, const std::vector<Ends>& links) override {
    for (std::size_t i = 0; i < ids.size(); ++i) {
      Ends& e = links_[static_cast<std::size_t>(ids[i])];
      by_source_.erase({e.source, e.target, ids[i]});
      by_target_.erase({e.target, e.source, ids[i]});
      e = links[i];
      by_source_.emplace(e.source, e.target, ids[i]);
      by_target_.emplace(e.target, e.source, ids[i]);
    }
  }
  void remove(const std::vector<LinkId>& ids) override {
    for (const LinkId id : ids) {
      const Ends e = links_[static_cast<std::size_t>(id)];
      by_source_.erase({e.source, e.target, id});
      by_target_.erase({e.target, e.source, id});
    }
    links_.resize(1);
  }
  double used_bytes() const override {
    // A node has four words beside the key, and malloc one more, rounded to 16 bytes.
    constexpr double kNode = (sizeof(Key) + 5 * sizeof(void*) + 15) / 16 * 16;
    return static_cast<double>(links_.size() * sizeof(Ends)) + kNode * static_cast<double>(2 * by_source_.size());
  }
  double allocated_bytes() const override {
    return used_bytes() + static_cast<double>((links_.capacity() - links_.size()) * sizeof(Ends));
  }

 private:
  using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t>;
  static constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  std::vector<Ends> links_ = std::vector<Ends>(1);
  std::set<Key> by_source_;
  std::set<Key> by_target_;
};

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "core_benchmark: %s\n", what);
  std::exit(1);
}

class StoreContender : public Contender {
 public:
  StoreContender(Layout layout, const std::string& directory) : directory_(directory), files_(heap_, directory_.c_str()) {
    const auto format = [](void* context, char* base) {
      Store::format(base, kFirstChunkBytes, 0, *static_cast<Layout*>(context), false, 42);
    };
    if (files_.create(kFirstChunkBytes, format, &layout) != FileStatus::kOk) fail("cannot make the store's first file");
    store_ = std::make_unique<Store>(heap_);
  }
  ~StoreContender() override { files_.remove(); }

  void create(const std::vector<Ends>& links) override {
    std::vector<LinkInput> batch;
    for (std::size_t at = 0; at < links.size(); at += kBatch) {
      const std::size_t n = std::min(kBatch, links.size() - at);
      batch.clear();
      for (std::size_t i = 0; i < n; ++i) batch.push_back({0, links[at + i].source, links[at + i].target, {}});
      begin();
      for (std::size_t done = 0, now = 0; done < n; done += now)
        check(store_->insert(batch.data() + done, n - done, writer(), now));
      commit();
    }
  }
  std::uint64_t pair(const std::vector<Ends>& wanted) override { return search<true, true>(wanted); }
  std::uint64_t outgoing(const std::vector<Ends>& wanted) override { return search<true, false>(wanted); }
  std::uint64_t incoming(const std::vector<Ends>& wanted) override { return search<false, true>(wanted); }
  std::uint64_t count(const std::vector<Ends>& wanted) override {
    std::uint64_t sum = 0;
    for (const Ends& e : wanted) {
      bool exact;
      sum += store_->count({.source = Range::point(e.source)}, kAll, exact);
    }
    return sum;
  }
  std::uint64_t scan() override { return found(Pattern{}); }
  void update(const std::vector<LinkId>& ids, const std::vector<Ends>& links) override {
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (i % kBatch == 0) begin();
      LinkInput link{ids[i], links[i].source, links[i].target, {}};
      const Ref<Version> version = store_->find(ids[i], kAll);
      while (check(store_->update(version, link, writer()))) {
      }
      if (i % kBatch == kBatch - 1 || i + 1 == ids.size()) commit();
    }
  }
  void remove(const std::vector<LinkId>& ids) override {
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (i % kBatch == 0) begin();
      const Ref<Version> version = store_->find(ids[i], kAll);
      while (check(store_->erase(version, writer()))) {
      }
      if (i % kBatch == kBatch - 1 || i + 1 == ids.size()) commit();
    }
  }
  double used_bytes() const override { return static_cast<double>(heap_.header().used_bytes); }
  double allocated_bytes() const override { return static_cast<double>(heap_.header().allocated_bytes); }

 private:
  static constexpr std::size_t kBatch = 100;

  static bool includes(void*, const TxnSlot&, CommandId) noexcept { return true; }
  static Fate fate(void*, const TxnSlot&) noexcept { return Fate::kOwn; }
  static constexpr Visibility kAll{includes, nullptr};

  Writer writer() { return Writer{xid_, 1, slot_, Oracle{fate, nullptr}}; }
  void begin() {
    ++xid_;
    slot_ = {};
  }
  void commit() {
    store_state(heap_.at(slot_), TxnState::kCommitted);
    (void)store_->settle(xid_ + 1, ~std::uint64_t{0});
  }
  // True if the change has to be repeated; ends the program if it was refused.
  bool check(const WriteResult& r) {
    if (r.status == Status::kOk) return false;
    if (r.status != Status::kNeedMemory) fail("a store refused a change");
    if (files_.grow(r.units) != FileStatus::kOk) fail("no memory for a store");
    return true;
  }
  std::uint64_t found(const Pattern& p) {
    std::uint64_t sum = 0, passed = 0;
    LinkRow rows[1024];
    const Search search = Search::of(p);
    for (Position position; !position.done;) {
      const std::size_t n = store_->scan(search, position, kAll, rows, std::size(rows), passed);
      for (std::size_t i = 0; i < n; ++i) sum += digest(rows[i].id, rows[i].source, rows[i].target);
    }
    return sum;
  }
  template <bool kSource, bool kTarget>
  std::uint64_t search(const std::vector<Ends>& wanted) {
    std::uint64_t sum = 0;
    Pattern p;
    for (const Ends& e : wanted) {
      if (kSource) p.source = Range::point(e.source);
      if (kTarget) p.target = Range::point(e.target);
      sum += found(p);
    }
    return sum;
  }

  std::string directory_;
  Heap heap_;
  MappedFiles files_;
  std::unique_ptr<Store> store_;
  TxnId xid_ = 100;
  Ref<TxnSlot> slot_{};
};

// One round's input, the same for all contenders.
struct Input {
  std::vector<Ends> links;
  std::vector<Ends> wanted;
  std::vector<LinkId> update_ids;
  std::vector<Ends> updates;
  std::vector<LinkId> removals;

  Input(const Settings& s, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto node = [&] { return static_cast<std::int64_t>(random() % s.nodes); };
    const auto uniform = [&] { return Ends{node(), node()}; };
    links.resize(s.links);
    std::generate(links.begin(), links.end(), uniform);
    for (std::size_t i = 0; i < s.searches; ++i) wanted.push_back(links[random() % links.size()]);
    for (std::size_t i = 0; i < s.links; ++i) removals.push_back(static_cast<LinkId>(i + 1));
    std::shuffle(removals.begin(), removals.end(), random);
    update_ids.assign(removals.begin(), removals.begin() + static_cast<std::ptrdiff_t>(std::min(s.updates, s.links)));
    std::shuffle(update_ids.begin(), update_ids.end(), random);
    updates.resize(update_ids.size());
    std::generate(updates.begin(), updates.end(), uniform);
    std::shuffle(removals.begin(), removals.end(), random);
  }
};

struct Operation {
  const char* name;
  std::size_t (*operations)(const Input&);
  std::uint64_t (*run)(Contender&, const Input&);
};

const Operation kOperations[] = {
    {"create", [](const Input& i) { return i.links.size(); },
     [](Contender& c, const Input& i) { return c.create(i.links), std::uint64_t{0}; }},
    {"pair", [](const Input& i) { return i.wanted.size(); }, [](Contender& c, const Input& i) { return c.pair(i.wanted); }},
    {"outgoing", [](const Input& i) { return i.wanted.size(); },
     [](Contender& c, const Input& i) { return c.outgoing(i.wanted); }},
    {"incoming", [](const Input& i) { return i.wanted.size(); },
     [](Contender& c, const Input& i) { return c.incoming(i.wanted); }},
    {"count", [](const Input& i) { return i.wanted.size(); }, [](Contender& c, const Input& i) { return c.count(i.wanted); }},
    {"scan", [](const Input& i) { return i.links.size(); }, [](Contender& c, const Input&) { return c.scan(); }},
    {"update", [](const Input& i) { return i.update_ids.size(); },
     [](Contender& c, const Input& i) { return c.update(i.update_ids, i.updates), std::uint64_t{0}; }},
    // Not published: checks that the updates arrived.
    {"updated", [](const Input& i) { return i.links.size(); }, [](Contender& c, const Input&) { return c.scan(); }},
    {"delete", [](const Input& i) { return i.removals.size(); },
     [](Contender& c, const Input& i) { return c.remove(i.removals), std::uint64_t{0}; }},
    {"deleted", [](const Input&) { return std::size_t{1}; }, [](Contender& c, const Input&) { return c.scan(); }},
};

constexpr const char* kNames[] = {"baseline", "split", "united"};

struct Run {
  Settings settings;
  std::vector<std::string> directories;
  std::unique_ptr<Input> input;
  std::unique_ptr<Contender> contenders[3];
  std::map<std::pair<std::string, std::string>, std::vector<double>> times;  // ns per operation
  std::map<std::string, std::uint64_t> checksums;                            // of the present round
  double used[3] = {}, allocated[3] = {};
  std::size_t round_begun = 0;  // and one
  bool filled[3] = {};

  std::string make_directory() {
    std::string path = settings.directory + "/doublets-benchmark-XXXXXX";
    if (::mkdtemp(path.data()) == nullptr) fail("cannot make a directory");
    directories.push_back(path);
    return path;
  }
  ~Run() {
    for (auto& c : contenders) c.reset();
    for (const std::string& d : directories) ::rmdir(d.c_str());
  }

  void start_round(std::size_t round) {
    for (auto& c : contenders) c.reset();
    input = std::make_unique<Input>(settings, 1000 + round);
    contenders[0] = std::make_unique<Baseline>();
    contenders[1] = std::make_unique<StoreContender>(Layout::kSplit, make_directory());
    contenders[2] = std::make_unique<StoreContender>(Layout::kUnited, make_directory());
    checksums.clear();
    std::fill(std::begin(filled), std::end(filled), false);
    round_begun = round + 1;
  }

  void measure(benchmark::State& state, const Operation& op, int who, std::size_t round) {
    if (round_begun != round + 1) start_round(round);
    if (!filled[who] && &op != &kOperations[0]) contenders[who]->create(input->links);
    filled[who] = true;
    for (auto _ : state) {
      const double begin = cpu_seconds();
      const std::uint64_t checksum = op.run(*contenders[who], *input);
      const double took = cpu_seconds() - begin;
      const auto operations = static_cast<double>(op.operations(*input));
      state.SetIterationTime(took / operations);
      state.counters["operations"] = operations;
      times[{op.name, kNames[who]}].push_back(took * 1e9 / operations);
      if (!checksums.emplace(op.name, checksum).second && checksums[op.name] != checksum)
        fail((std::string(kNames[who]) + " finds other links than the baseline: " + op.name).c_str());
    }
    if (std::string(op.name) == "scan") {
      used[who] = contenders[who]->used_bytes() / static_cast<double>(settings.links);
      allocated[who] = contenders[who]->allocated_bytes() / static_cast<double>(settings.links);
    }
  }

  static double median(std::vector<double> v) {
    std::sort(v.begin(), v.end());
    return v.size() % 2 != 0 ? v[v.size() / 2] : (v[v.size() / 2 - 1] + v[v.size() / 2]) / 2;
  }

  void report() {
    std::string csv = "operation,layout,baseline_ns,store_ns,ratio\n";
    for (const Operation& op : kOperations) {
      if (std::string(op.name) == "updated" || std::string(op.name) == "deleted") continue;
      const auto& bases = times[{op.name, kNames[0]}];
      for (int who = 1; who < 3; ++who) {
        const auto& owns = times[{op.name, kNames[who]}];
        if (bases.empty() || owns.empty()) continue;
        const double base = median(bases), own = median(owns);
        char line[200];
        std::snprintf(line, sizeof(line), "%s,%s,%.1f,%.1f,%.2f\n", op.name, kNames[who], base, own, base / own);
        csv += line;
      }
    }
    std::printf("\n%s", csv.c_str());
    for (int who = 0; who < 3; ++who)
      if (used[who] > 0) std::printf("%s: %.1f bytes per link in use, %.1f allocated\n", kNames[who], used[who], allocated[who]);
    if (settings.csv.empty()) return;
    std::FILE* file = std::fopen(settings.csv.c_str(), "w");
    if (file == nullptr || std::fputs(csv.c_str(), file) < 0 || std::fclose(file) != 0) fail("cannot write the CSV file");
  }
};

Run* run_now;

void register_all(Run& run) {
  run_now = &run;
  for (std::size_t round = 0; round < run.settings.rounds; ++round)
    for (const Operation& op : kOperations)
      for (int turn = 0; turn < 3; ++turn) {
        const int who = static_cast<int>((turn + round) % 3);  // each is first as often
        const std::string name = std::string(op.name) + "/" + kNames[who] + "/round:" + std::to_string(round);
        benchmark::RegisterBenchmark(name.c_str(),
                                     [&op, who, round](benchmark::State& state) { run_now->measure(state, op, who, round); })
            ->UseManualTime()
            ->Iterations(1)
            ->Unit(benchmark::kNanosecond);
      }
}

// Takes this program's own options off the command line.
void parse(Settings& s, int& argc, char** argv) {
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    const auto value = [&](const char* option) -> const char* {
      const std::size_t n = std::string(option).size();
      return arg.compare(0, n, option) == 0 ? argv[i] + n : nullptr;
    };
    const auto number = [](const char* text) {
      const unsigned long long n = std::strtoull(text, nullptr, 10);
      if (n == 0) fail("a number is wanted");
      return static_cast<std::size_t>(n);
    };
    if (const char* v = value("--csv="))
      s.csv = v;
    else if (const char* v = value("--directory="))
      s.directory = v;
    else if (const char* v = value("--links="))
      s.links = number(v);
    else if (const char* v = value("--nodes="))
      s.nodes = number(v);
    else if (const char* v = value("--rounds="))
      s.rounds = number(v);
    else
      argv[kept++] = argv[i];
  }
  argc = kept;
}

}  // namespace
}  // namespace doublets

int main(int argc, char** argv) {
  // Static, so that its files go when the program ends itself, too.
  static doublets::Run run;
  doublets::parse(run.settings, argc, argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  doublets::register_all(run);
  benchmark::RunSpecifiedBenchmarks();
  run.report();
  benchmark::Shutdown();
  return 0;
}
