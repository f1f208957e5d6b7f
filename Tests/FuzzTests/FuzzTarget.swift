internal import Foundation
internal import Glibc

/// A decoder as the fuzzer sees it.
protocol FuzzTarget: Sendable, Codable {
    var seeds: [[UInt8]] { get }
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

    /// The end of the name of the file that tells a finding: the process that makes one dies of it, and nobody sees its
    /// output.
    static let fileEnd = ".why"

    /// Writes a finding into the file beside a case, and throws it on.
    static func told<Result>(beside path: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let finding as Finding {
            try Data(finding.words.utf8).write(to: URL(filePath: path + Self.fileEnd))
            throw finding
        }
    }

    /// The finding beside a case.
    static func words(beside path: String) -> String {
        (try? String(contentsOfFile: path + Self.fileEnd, encoding: .utf8))
            ?? "it trapped, hung, or took too much memory"
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
