internal import WhereaboutsVocabulary

/// A hash of bytes for the doubles: fast, the same everywhere, and not secure.
///
/// It takes eight bytes at a time: a request of one kilobyte is hashed about ten times on its way to an answer.
struct ModelHash {
    private var value: UInt64 = 0xcbf2_9ce4_8422_2325

    /// Adds a piece; two pieces have another hash than their concatenation.
    mutating func add(_ bytes: [UInt8]) {
        let rest = bytes.count % 8
        let span = unsafe bytes.span.bytes
        for offset in stride(from: 0, to: bytes.count - rest, by: 8) {
            self.add(unsafe span.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
        var last: UInt64 = 0
        for byte in bytes.suffix(rest) { last = last << 8 | UInt64(byte) }
        self.add(last)
        self.add(UInt64(bytes.count))
    }

    private mutating func add(_ word: UInt64) {
        // As in FNV-1a; the shift moves the high bits of a word to the low bits of the hash.
        self.value = (self.value ^ word) &* 0x0000_0100_0000_01B3
        self.value ^= self.value >> 32
    }

    /// Bytes drawn from all that was added.
    func bytes(_ count: Int) -> [UInt8] { self.masking(Array(repeating: 0, count: count)) }

    /// The exclusive or of bytes with as many drawn from all that was added.
    func masking(_ bytes: [UInt8]) -> [UInt8] {
        var (random, masked, word) = (SeededGenerator(seed: self.value), bytes, UInt64(0))
        let rest = bytes.count % 8
        var span = masked.mutableSpan
        var words = unsafe span.mutableBytes
        for offset in stride(from: 0, to: bytes.count - rest, by: 8) {
            let plain = unsafe words.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
            words.storeBytes(of: plain ^ random.next().littleEndian, toByteOffset: offset, as: UInt64.self)
        }
        if rest > 0 { word = random.next() }
        for index in bytes.count - rest..<bytes.count {
            masked[index] ^= UInt8(truncatingIfNeeded: word)
            word >>= 8
        }
        return masked
    }
}
