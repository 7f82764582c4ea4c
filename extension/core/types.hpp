// Basic vocabulary of the core: references, identifiers, result codes.
//
// The core knows links, versions and indexes. It includes no PostgreSQL header,
// throws nothing, allocates only from the heap of the store it works on, and
// keeps no global state. Who holds which lock is stated at each class.
#pragma once

#if defined(POSTGRES_H) || defined(FMGR_H)
#error "extension/core must not see PostgreSQL headers"
#endif

#include <cstdint>

namespace doublets {

// Identity of a link, 1 .. 2^63-1. Sources and targets are any 64-bit value.
using LinkId = std::int64_t;

// Full (64-bit, never wrapping) transaction id. 0 means none.
using TxnId = std::uint64_t;

// Command number inside a transaction, less than 2^31.
using CommandId = std::uint32_t;

// A typed element number: the index of the first 32-byte unit of a T in its
// store's heap. 0 is null, and what Ref{} is; without braces it is left undefined, as an
// integer is, so that a buffer of references costs nothing. Valid in every process that
// maps the store.
template <class T>
struct Ref {
  std::uint32_t unit;

  constexpr explicit operator bool() const noexcept { return unit != 0; }
  friend constexpr bool operator==(Ref, Ref) noexcept = default;
};

// What an operation of the core may answer.
enum class [[nodiscard]] Status : std::uint8_t {
  kOk,
  kNeedMemory,     // nothing was changed: add a chunk to the heap, then repeat
  kNoAddressSpace, // the store's 2^32 units are used up
  kDuplicateId,    // a live link has the id
  kDuplicatePair,  // a live link has the pair, and pairs are unique
  kWait,           // an unfinished transaction decides: wait for it, then repeat
  kSelfModified,   // the version was already changed by the caller's transaction
  kUpdated,        // a committed transaction replaced the version
  kDeleted,        // a committed transaction deleted the version
};

} // namespace doublets
