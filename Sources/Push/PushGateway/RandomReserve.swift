internal import Glibc

/// The system's generator, read in blocks of 32 words per system call.
///
/// A push needs two words, and each word would otherwise cost a system call.
struct RandomReserve: RandomNumberGenerator {
    /// The number of words in one system call: 256 bytes (getentropy(3)).
    static let wordsCount = 32

    private let draw: () -> [UInt64]
    private var words: [UInt64] = []

    /// Creates an empty reserve.
    ///
    /// - Parameter draw: draws as many words as the reserve holds.
    init(draw: @escaping () -> [UInt64] = Self.drawFromKernel) {
        self.draw = draw
    }

    mutating func next() -> UInt64 {
        if let word = self.words.popLast() { return word }
        self.words = self.draw()
        return self.words.removeLast()
    }

    private static func drawFromKernel() -> [UInt64] {
        unsafe Array(unsafeUninitializedCapacity: Self.wordsCount) { words, count in
            guard unsafe getentropy(words.baseAddress, Self.wordsCount * MemoryLayout<UInt64>.size) == 0 else {
                fatalError("the kernel has no random bytes: errno \(errno)")
            }
            count = Self.wordsCount
        }
    }
}
