internal import Foundation
internal import Glibc

/// A decoder as the fuzzer sees it.
protocol FuzzTarget: Sendable, Codable {
    var seeds: [[UInt8]] { get }
    var words: [[UInt8]] { get }
    /// Corrects an input's lengths and checksums, so that not only their validation is tested.
    func mended(_ input: [UInt8]) -> [UInt8]
    /// Decodes.
    ///
    /// - Returns: whether the decoder accepted anything.
    /// - Throws: ``Finding``.
    func check(_ input: [UInt8]) throws -> Bool
}

/// A wrong result of a decoder.
struct Finding: Error {
    let words: String

    init(_ words: String) { self.words = words }

    /// Throws unless a property of an accepted input is true.
    static func unless(_ isTrue: Bool, _ words: String) throws(Finding) {
        if !isTrue { throw Finding(words) }
    }

    /// The suffix of the file that describes a finding.
    ///
    /// The process that makes one dies, and its output is lost.
    static let fileEnd = ".why"

    /// Writes a finding into the file beside a case, and throws it.
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

/// Decoders that fail on an exclamation mark, each in another way.
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
            // A system call in each iteration; the optimiser may remove a loop without effect.
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
