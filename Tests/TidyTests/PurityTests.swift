internal import Foundation
internal import Testing

/// Goal: pure targets use no clocks, random generators or streams of the standard library, which need no import and are
/// not in the table.
@Suite struct PurityTests {
    /// A pattern that must not occur in the code of a pure target.
    struct Ban: Sendable, CustomTestStringConvertible {
        let pattern: String
        let replacement: String

        var testDescription: String { self.pattern }
    }

    static let bans: [Ban] = [
        Ban(pattern: #"\b(Continuous|Suspending)Clock\b"#, replacement: "the parameter `now`"),
        Ban(pattern: #"\b[A-Z]\w*\.now\b"#, replacement: "the parameter `now`"),
        Ban(pattern: #"(^|[ (\[:,=])\.now\b"#, replacement: "the parameter `now`"),
        Ban(pattern: #"\bDate\b"#, replacement: "WallTime"),
        Ban(pattern: #"\bSystemRandomNumberGenerator\b"#, replacement: "the generator that the host hands in"),
        Ban(pattern: #"\.random\((?!.*using:)"#, replacement: ".random(in:using:)"),
        Ban(pattern: #"\.(randomElement|shuffled|shuffle)\(\)"#, replacement: "the form with `using:`"),
        Ban(pattern: #"\bUUID\b"#, replacement: "an identifier drawn from the host's generator"),
        Ban(pattern: #"\bHasher\(\)|\.hashValue\b"#, replacement: "a hash that is the same in every process"),
        Ban(pattern: #"\b(Task|AsyncStream)\b"#, replacement: "an effect; the host awaits"),
        Ban(pattern: #"\bimport (Darwin|Glibc)\b"#, replacement: "import func, by name: the rest has clocks and files"),
        Ban(pattern: #"\b(print|debugPrint|dump|readLine)\(|\bCommandLine\b"#, replacement: "a note"),
    ]

    static func violations(of ban: Ban, in files: [SourceTree.File]) throws -> [String] {
        let pattern = try Regex(ban.pattern).matchingSemantics(.unicodeScalar)
        return files.flatMap { file in
            file.code.filter { $0.text.contains(pattern) }.map { "\(file.path):\($0.number)" }
        }
    }

    /// The files of the targets that the table of imports calls pure.
    static func pureFiles() throws -> [SourceTree.File] {
        let manifest = try PackageManifest.ours()
        let names = try ImportTable.ours().rows.filter { $0.group == "pure" }.map(\.target)
        return try SourceTree.files(in: ["Sources"], ending: ".swift")
            .filter { file in manifest.target(of: file.path).map { names.contains($0.name) } ?? false }
    }

    @Test(arguments: Self.bans) func noPureTargetReadsAClockDrawsOrTalks(_ ban: Ban) throws {
        let files = try Self.pureFiles()
        #expect(files.count > 100)
        let found = try Self.violations(of: ban, in: files)
        #expect(found.isEmpty, "use \(ban.replacement): \(found.joined(separator: ", "))")
    }

    @Test(arguments: [
        "let a = ContinuousClock.now", "wait(until: .now)", "let b = Date()", "UInt8.random(in: 0...1)",
        "var g = SystemRandomNumberGenerator()", "list.random" + "Element()", "list.shuffled()", "UUID()",
        "x.hashValue", "Task { go() }", "print(x)", "let b = WallTime.now", "internal import Glibc",
    ])
    func eachOfTheseIsFound(_ line: String) throws {
        let file = SourceTree.File(path: "A.swift", text: line + "\n")
        #expect(try Self.bans.contains { try Self.violations(of: $0, in: [file]) == ["A.swift:1"] })
    }

    @Test(arguments: [
        "// ContinuousClock.now", "UInt8.random(in: 0...1, using: &generator)", "handle(input, now: now.monotonic)",
        "list.shuffled(using: &generator)", "let blueprint = Update()", "internal import func Glibc.sin",
    ])
    func theseAreLetBe(_ line: String) throws {
        let file = SourceTree.File(path: "A.swift", text: line + "\n")
        #expect(try Self.bans.allSatisfy { try Self.violations(of: $0, in: [file]).isEmpty })
    }
}
