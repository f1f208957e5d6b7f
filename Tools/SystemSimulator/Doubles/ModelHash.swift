internal import WhereaboutsVocabulary

/// A hash of bytes for the doubles: quick and the same everywhere, and no protection against anybody.
struct ModelHash {
    private var hash = FNV1a()

    mutating func add(_ bytes: some Sequence<UInt8>) {
        self.hash.add(bytes)
        // So that two pieces do not have the hash of the one piece they make together.
        self.hash.add(0xFF as UInt8)
    }

    /// Bytes drawn from all that was added.
    func bytes(_ count: Int) -> [UInt8] {
        var (random, bytes) = (SeededGenerator(seed: self.hash.value), [UInt8]())
        bytes.reserveCapacity(count + 8)
        while bytes.count < count {
            let word = random.next()
            for shift in stride(from: UInt64(0), to: 64, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: word >> shift))
            }
        }
        bytes.removeLast(bytes.count - count)
        return bytes
    }
}
