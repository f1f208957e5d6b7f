internal import WhereaboutsVocabulary

/// Makes inputs that are almost valid; the same seed makes the same ones.
///
/// Random bytes fail at a decoder's first check. A valid input with a few changes gets further.
struct Mutator {
    /// The length of the longest input; some decoders have lower limits.
    static let bytesMax = 16 * 1024

    /// Numbers at the limits of integer types, counts and arithmetic.
    private static let numbers = [
        "-1", "0", "127", "128", "255", "256", "32768", "65535", "65536", "2147483647", "-2147483648", "4294967296",
        "9223372036854775807", "-9223372036854775808", "18446744073709551616", "1e308", "-1e308", "1e-320", "1e999",
        "0.1", "99999999999999999999999999",
    ].map { Array($0.utf8) }

    private let seeds: [[UInt8]]
    private let words: [[UInt8]]
    private var generator: SeededGenerator

    /// Creates a mutator.
    ///
    /// - Parameters:
    ///   - seeds: valid inputs; at least one.
    ///   - words: pieces that mean something to the decoder.
    ///   - seed: the number that all inputs follow from.
    init(seeds: [[UInt8]], words: [[UInt8]], seed: UInt64) {
        self.seeds = seeds
        self.words = words + Self.numbers
        self.generator = SeededGenerator(seed: seed)
    }

    /// Makes the next input: a valid one with one to eight changes.
    mutating func next() -> [UInt8] {
        var bytes = self.seed()
        for _ in 0..<Int.random(in: 1...8, using: &self.generator) { self.wound(&bytes) }
        return Array(bytes.prefix(Self.bytesMax))
    }

    private mutating func seed() -> [UInt8] { self.seeds.randomElement(using: &self.generator) ?? [] }

    private mutating func wound(_ bytes: inout [UInt8]) {
        let range = self.range(in: bytes)
        switch Int.random(in: 0..<9, using: &self.generator) {
        case 0: if let byte = range.first { bytes[byte] ^= 1 << UInt8.random(in: 0..<8, using: &self.generator) }
        case 1:
            if let byte = range.first {
                bytes[byte] = [0, 0x7F, 0x80, 0xFF].randomElement(using: &self.generator) ?? 0
            }
        case 2: bytes.removeSubrange(range)
        case 3: bytes.removeSubrange(range.lowerBound...)
        case 4: bytes.replaceSubrange(range, with: self.words.randomElement(using: &self.generator) ?? [])
        case 5: bytes.insert(contentsOf: self.noise(), at: range.lowerBound)
        case 6: bytes.insert(contentsOf: self.repeated(bytes[range]), at: range.lowerBound)
        case 7: bytes.replaceSubrange(range.lowerBound..., with: self.tail(of: self.seed()))
        default: self.replaceNumber(in: &bytes, after: range.lowerBound)
        }
    }

    /// A part of the input, usually a short one.
    private mutating func range(in bytes: [UInt8]) -> Range<Int> {
        let start = Int.random(in: 0...bytes.count, using: &self.generator)
        let length = 1 << Int.random(in: 0..<6, using: &self.generator)
        return start..<min(start + Int.random(in: 0...length, using: &self.generator), bytes.count)
    }

    private mutating func noise() -> [UInt8] {
        (0..<Int.random(in: 1...16, using: &self.generator)).map { _ in
            UInt8.random(in: 0...255, using: &self.generator)
        }
    }

    /// Repeats the part many times, for nesting and large counts.
    private mutating func repeated(_ piece: ArraySlice<UInt8>) -> [UInt8] {
        let times = 1 << Int.random(in: 0..<12, using: &self.generator)
        return Array([[UInt8]](repeating: Array(piece), count: times).joined().prefix(Self.bytesMax))
    }

    private mutating func tail(of bytes: [UInt8]) -> ArraySlice<UInt8> {
        bytes[Int.random(in: 0...bytes.count, using: &self.generator)...]
    }

    /// Replaces the next number that is written in digits.
    private mutating func replaceNumber(in bytes: inout [UInt8], after start: Int) {
        func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
        guard let first = bytes[start...].firstIndex(where: isDigit) else { return }
        let end = bytes[first...].firstIndex { !isDigit($0) } ?? bytes.endIndex
        bytes.replaceSubrange(first..<end, with: Self.numbers.randomElement(using: &self.generator) ?? [])
    }
}
