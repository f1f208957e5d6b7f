/// A hash of bytes for the doubles: quick and the same everywhere, and no protection against anybody.
struct ModelHash {
    private var state: UInt64 = 0xcbf2_9ce4_8422_2325

    mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { self.state = (self.state ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        // So that what is added in two pieces differs from what is added in one.
        self.state = (self.state ^ 0xFF) &* 0x0000_0100_0000_01B3
    }

    /// Bytes drawn from what was added.
    func bytes(_ count: Int) -> [UInt8] {
        var (state, bytes) = (self.state, [UInt8]())
        bytes.reserveCapacity(count + 8)
        while bytes.count < count {
            state &+= 0x9E37_79B9_7F4A_7C15
            var word = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
            word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
            word ^= word >> 31
            for shift in stride(from: UInt64(0), to: 64, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: word >> shift))
            }
        }
        bytes.removeLast(bytes.count - count)
        return bytes
    }
}
