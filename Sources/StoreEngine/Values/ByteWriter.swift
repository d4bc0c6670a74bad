/// A growable, uniquely owned buffer for encoding.
///
/// Multi-byte integers are little endian unless a method's name says otherwise. Keys are big endian, so that the order of their
/// bytes is the order of their values. A caller reuses the buffer through ``removeAll()``, so encoding a record allocates nothing
/// once a transaction is warm.
@safe
public struct ByteWriter: ~Copyable {
    @usableFromInline var base: UnsafeMutableRawPointer
    @usableFromInline var capacity: Int
    @usableFromInline var used: Int

    /// Creates an empty buffer with room for `capacity` bytes before it grows. A buffer with capacity 0 allocates nothing until
    /// then.
    @inlinable
    public init(capacity: Int = 256) {
        let room = capacity > 0 ? Swift.max(capacity, 16) : 0
        // Without capacity, the writer never accesses `base`, so any address serves.
        unsafe base = room > 0 ? .allocate(byteCount: room, alignment: 8) : ByteWriter.nowhere
        self.capacity = room
        used = 0
    }

    deinit {
        if capacity > 0 { unsafe base.deallocate() }
    }

    /// The address of a buffer without capacity. It refers to no memory.
    @inlinable static var nowhere: UnsafeMutableRawPointer {
        unsafe UnsafeMutableRawPointer(bitPattern: 8).unsafelyUnwrapped
    }

    /// The number of bytes written.
    @inlinable public var count: Int { used }

    /// The written bytes, valid until the next mutation.
    @inlinable
    public var bytes: RawSpan {
        @_lifetime(borrow self)
        borrowing get {
            let span = unsafe RawSpan(_unsafeStart: base, byteCount: used)
            return unsafe _overrideLifetime(span, borrowing: self)
        }
    }

    /// Removes the contents and keeps the capacity.
    @inlinable
    public mutating func removeAll() { used = 0 }

    /// Removes all but the first `count` bytes. `count` must not exceed ``count``.
    @inlinable
    public mutating func truncate(to count: Int) {
        precondition(count >= 0 && count <= used, "truncate(to:) cannot lengthen the buffer")
        used = count
    }

    /// Makes room for `byteCount` more bytes.
    @inlinable
    public mutating func reserve(_ byteCount: Int) {
        if capacity - used < byteCount { grow(byteCount) }
    }

    @usableFromInline
    mutating func grow(_ byteCount: Int) {
        let room = Swift.max(capacity * 2, used + byteCount, 16)
        let larger = UnsafeMutableRawPointer.allocate(byteCount: room, alignment: 8)
        if capacity > 0 {
            unsafe larger.copyMemory(from: base, byteCount: used)
            unsafe base.deallocate()
        }
        unsafe base = larger
        capacity = room
    }

    /// Appends one byte.
    @inlinable
    public mutating func append(byte: UInt8) {
        reserve(1)
        unsafe base.storeBytes(of: byte, toByteOffset: used, as: UInt8.self)
        used += 1
    }

    /// Appends an integer, least significant byte first.
    @inlinable
    public mutating func append<I: FixedWidthInteger & BitwiseCopyable>(_ value: I) {
        let size = MemoryLayout<I>.size
        reserve(size)
        unsafe base.storeBytes(of: value.littleEndian, toByteOffset: used, as: I.self)
        used += size
    }

    /// Appends an integer, most significant byte first, as keys require.
    @inlinable
    public mutating func append<I: FixedWidthInteger & BitwiseCopyable>(bigEndian value: I) {
        let size = MemoryLayout<I>.size
        reserve(size)
        unsafe base.storeBytes(of: value.bigEndian, toByteOffset: used, as: I.self)
        used += size
    }

    /// Appends the bytes of a span.
    @inlinable
    public mutating func append(_ span: RawSpan) {
        let size = span.byteCount
        guard size > 0 else { return }
        reserve(size)
        let target = unsafe base + used
        unsafe span.withUnsafeBytes { source in
            // `span` cannot alias this buffer: the buffer is uniquely owned and mutated here.
            if let start = source.baseAddress { unsafe target.copyMemory(from: start, byteCount: size) }
        }
        used += size
    }

    /// Appends a range of the bytes in another buffer.
    @inlinable
    public mutating func append(_ range: Range<Int>, of other: borrowing ByteWriter) {
        append(other.bytes.extracting(range))
    }

    /// Appends bytes from an array.
    @inlinable
    public mutating func append(_ array: [UInt8]) { unsafe append(array.span.bytes) }

    /// Appends the UTF-8 bytes of a string.
    @inlinable
    public mutating func append(utf8 string: borrowing String) {
        var text = copy string
        text.withUTF8 { source in
            guard let start = source.baseAddress, source.count > 0 else { return }
            reserve(source.count)
            unsafe (base + used).copyMemory(from: start, byteCount: source.count)
            used += source.count
        }
    }

    /// Appends an unsigned integer in 1 to 10 bytes: seven bits in each byte, the least significant first (LEB128).
    @inlinable
    public mutating func append(varint value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            append(byte: UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(byte: UInt8(truncatingIfNeeded: rest))
    }

    /// Appends the length of `span` as a LEB128 integer, and then `span`.
    @inlinable
    public mutating func append(lengthPrefixed span: RawSpan) {
        append(varint: UInt64(span.byteCount))
        append(span)
    }

    /// Overwrites written bytes with an integer, least significant byte first.
    @inlinable
    public mutating func overwrite<I: FixedWidthInteger & BitwiseCopyable>(_ value: I, at offset: Int) {
        precondition(offset >= 0 && offset + MemoryLayout<I>.size <= used, "overwrite outside the written bytes")
        unsafe base.storeBytes(of: value.littleEndian, toByteOffset: offset, as: I.self)
    }

    /// Overwrites written bytes with the bytes of a span.
    @inlinable
    public mutating func overwrite(_ span: RawSpan, at offset: Int) {
        precondition(offset >= 0 && offset + span.byteCount <= used, "overwrite outside the written bytes")
        let target = unsafe base + offset
        unsafe span.withUnsafeBytes { source in
            if let start = source.baseAddress { unsafe target.copyMemory(from: start, byteCount: source.count) }
        }
    }

    /// Replaces each byte from `start` on with its complement, which reverses the order of keys.
    package mutating func complement(from start: Int) {
        precondition(start >= 0 && start <= used, "complement outside the written bytes")
        var offset = start
        while offset <= used - 8 {
            let word = unsafe base.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            unsafe base.storeBytes(of: ~word, toByteOffset: offset, as: UInt64.self)
            offset += 8
        }
        while offset < used {
            let byte = unsafe base.load(fromByteOffset: offset, as: UInt8.self)
            unsafe base.storeBytes(of: ~byte, toByteOffset: offset, as: UInt8.self)
            offset += 1
        }
    }

    /// Returns a copy of the written bytes.
    @inlinable
    public borrowing func array() -> [UInt8] { bytes.array() }
}

extension RawSpan {
    /// Returns a copy of these bytes.
    @inlinable
    public func array() -> [UInt8] { unsafe withUnsafeBytes { unsafe Array($0) } }
}
