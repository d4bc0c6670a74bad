internal import CLMDB
internal import Glibc

/// A key of a database, with the value that replaces the value in a snapshot.
///
/// `@unchecked Sendable`: its bytes never change. They belong to an arena that exists as long as the overlay.
@safe
struct OverlayEntry: @unchecked Sendable {
    private let keyStart: UnsafeRawPointer
    /// Nil if the key is absent.
    private let valueStart: UnsafeRawPointer?
    private let keyCount: UInt32
    private let valueCount: UInt32

    fileprivate init(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer?) {
        // An arena returns an address even for zero bytes.
        unsafe keyStart = unsafe key.baseAddress.unsafelyUnwrapped
        unsafe valueStart = value?.baseAddress
        keyCount = UInt32(key.count)
        valueCount = unsafe UInt32(value?.count ?? 0)
    }

    /// Whether the key is absent.
    var isHidden: Bool { unsafe valueStart == nil }

    /// The key's bytes, valid as long as the overlay exists.
    var key: RawSpan {
        @_lifetime(immortal)
        get {
            let bytes = unsafe UnsafeRawBufferPointer(start: keyStart, count: Int(keyCount))
            return unsafe _overrideLifetime(RawSpan(_unsafeBytes: bytes), copying: ())
        }
    }

    /// The value's bytes, valid as long as the overlay exists; empty if the key is absent.
    var value: RawSpan {
        @_lifetime(immortal)
        get {
            let bytes = unsafe UnsafeRawBufferPointer(start: valueStart, count: Int(valueCount))
            return unsafe _overrideLifetime(RawSpan(_unsafeBytes: bytes), copying: ())
        }
    }

    /// Compares the key with `other`. The result is negative, zero or positive if the key is before, equal to or after it.
    func order(to other: RawSpan) -> Int {
        unsafe other.withUnsafeBytes { other in
            let common = min(Int(keyCount), other.count)
            if common > 0, let start = other.baseAddress {
                let order = unsafe memcmp(keyStart, start, common)
                if order != 0 { return Int(order) }
            }
            return Int(keyCount) - other.count
        }
    }

    /// Returns the entry in the form in which LMDB returns its own entries.
    func give(_ key: inout MDB_val, _ value: inout MDB_val) {
        unsafe key = MDB_val(UnsafeRawBufferPointer(start: keyStart, count: Int(keyCount)))
        unsafe value = MDB_val(UnsafeRawBufferPointer(start: valueStart, count: Int(valueCount)))
    }
}

/// Owns the bytes of an overlay, which do not move.
///
/// `@unchecked Sendable`: only its builder uses it while it grows. After it is part of an overlay, nothing is added.
@safe
final class OverlayArena: @unchecked Sendable {
    private var blocks: [UnsafeMutableRawBufferPointer] = unsafe []
    private var used = 0
    private(set) var byteCount = 0

    private static let firstBlockByteCount = 1 << 10
    private static let maximumBlockByteCount = 1 << 20

    init() {}

    deinit {
        while let block = unsafe blocks.popLast() { unsafe block.deallocate() }
    }

    /// Copies the bytes of an entry into the arena.
    ///
    /// - Parameter value: nil if the key is absent.
    func entry(_ key: RawSpan, value: RawSpan?) -> OverlayEntry {
        let keyBytes = unsafe take(key)
        guard let value else { return unsafe OverlayEntry(key: keyBytes, value: nil) }
        return unsafe OverlayEntry(key: keyBytes, value: take(value))
    }

    private func take(_ bytes: RawSpan) -> UnsafeRawBufferPointer {
        let count = bytes.byteCount
        let free = unsafe (blocks.last?.count ?? 0) - used
        if unsafe blocks.isEmpty || free < count {
            let size = max(count, min(Self.maximumBlockByteCount, max(Self.firstBlockByteCount, byteCount)))
            unsafe blocks.append(.allocate(byteCount: size, alignment: 8))
            byteCount += size
            used = 0
        }
        let buffer = unsafe UnsafeMutableRawBufferPointer(rebasing: blocks[blocks.count - 1][used..<used + count])
        unsafe bytes.withUnsafeBytes { unsafe buffer.copyMemory(from: $0) }
        used += count
        return UnsafeRawBufferPointer(buffer)
    }
}
