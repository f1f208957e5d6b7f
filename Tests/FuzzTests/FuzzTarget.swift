internal import Glibc

/// A decoder as the fuzzer sees it.
protocol FuzzTarget: Sendable, Codable {
    /// Valid inputs.
    var seeds: [[UInt8]] { get }
    /// Pieces that mean something.
    var words: [[UInt8]] { get }
    /// An input with its lengths and checksums put right, so that the check of them is not all that is ever reached.
    func mended(_ input: [UInt8]) -> [UInt8]
    /// Decodes.
    ///
    /// - Returns: whether the decoder accepted anything.
    /// - Throws: ``Finding``.
    func check(_ input: [UInt8]) throws -> Bool
}

/// A claim of a decoder that cannot be true.
struct Finding: Error {
    let words: String

    init(_ words: String) { self.words = words }

    /// Fails when what has to be true of an accepted input is not.
    static func unless(_ isTrue: Bool, _ words: String) throws(Finding) {
        if !isTrue { throw Finding(words) }
    }
}

/// Decoders that fail on an exclamation mark, each in a way of its own.
enum BrokenDecoder: String, CaseIterable, FuzzTarget {
    case trap, hang, hunger, lie

    var seeds: [[UInt8]] { [Array("all is well".utf8)] }
    var words: [[UInt8]] { [[UInt8(ascii: "!")]] }
    func mended(_ input: [UInt8]) -> [UInt8] { input }

    func check(_ input: [UInt8]) throws -> Bool {
        guard input.contains(UInt8(ascii: "!")) else { return true }
        switch self {
        case .trap: preconditionFailure("on purpose")
        case .hang:
            // Asked of the system at every turn: a loop without an effect may be left out by the optimiser.
            while getppid() >= 0 { continue }
        case .hunger:
            var eaten: [[UInt8]] = []
            while eaten.count < 1 << 20 { eaten.append([UInt8](repeating: 1, count: 1 << 20)) }
            return eaten.isEmpty
        case .lie: throw Finding("on purpose")
        }
        return false
    }
}
