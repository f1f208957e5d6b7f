internal import Crypto

/// The system's generator, asked for 64 words at a time: each question is a call of the kernel, two of which a push would pay for.
struct RandomReserve: RandomNumberGenerator {
    private static let wordsCount = 64

    private var words: [UInt64] = []

    mutating func next() -> UInt64 {
        if let word = self.words.popLast() { return word }
        unsafe self.words = SymmetricKey(size: SymmetricKeySize(bitCount: Self.wordsCount * UInt64.bitWidth))
            .withUnsafeBytes { unsafe Array($0.bindMemory(to: UInt64.self)) }
        return self.words.removeLast()
    }
}
