internal import Foundation
internal import Testing
internal import WhereaboutsJSONReading
internal import WhereaboutsVocabulary

/// The stories with which a test failed, in `.location-tests` at the root of its package; they are played before any other.
///
/// A parameterized test has a file for each of its arguments.
struct KeptStories {
    private static let storiesMax = 16

    /// The file; nil: nothing is kept.
    let file: URL?

    /// Finds the file of a test; a test that belongs to no package, or whose folder cannot be written, keeps nothing.
    init(of test: Test, _ testCase: Test.Case?) {
        let names = [test.id.moduleName] + test.id.nameComponents + [testCase.flatMap(Self.arguments)]
        self.init(names.compactMap(\.self).joined(separator: "."), near: test.sourceLocation.filePath)
    }

    /// Returns a name for the arguments of a test, the same in every process; nil: the test has none.
    ///
    /// Swift Testing publishes no name for them, but the description of a test case contains them. Some descriptions also contain
    /// addresses, which differ between processes.
    private static func arguments(of testCase: Test.Case) -> String? {
        guard testCase.isParameterized else { return nil }
        var hash = FNV1a()
        hash.add("\(testCase)".replacing(/\$[0-9a-f]+|0x[0-9a-f]{8,}/, with: "").utf8)
        return String(hash.value, radix: 16)
    }

    /// Finds the file of a method that calls `check`, named by the file, the types around the call, and the method.
    init(ofMethod name: String, at call: SourceLocation) {
        let file = call.fileID.replacing(".swift", with: "").replacing("/", with: ".")
        let source = (try? String(contentsOfFile: call.filePath, encoding: .utf8)) ?? ""
        let names = [file] + Self.types(around: call.line, of: source) + [name]
        self.init(names.joined(separator: "."), near: call.filePath)
    }

    /// Returns the types around a line of indented code, the outermost first.
    ///
    /// `#function` does not name the type of a method, and two classes of a file may have methods of the same name.
    static func types(around line: Int, of source: String) -> [String] {
        let declaration = /^(?:@?\w+(?:\([^)]*\))? )*(?:class|struct|enum|actor|extension) ([\w.]+)/
        var types: [String] = []
        var indentation = Int.max
        for text in source.split(separator: "\n", omittingEmptySubsequences: false).prefix(line).reversed() {
            let code = text.drop { $0 == " " || $0 == "\t" }
            let depth = text.count - code.count
            guard let first = code.first, first != "#", depth < indentation else { continue }
            indentation = depth
            if let type = code.firstMatch(of: declaration) {
                types.insert(String(type.output.1), at: 0)
            }
        }
        return types
    }

    init(_ name: String, near source: String) {
        var folder = URL(filePath: source).deletingLastPathComponent()
        let files = FileManager.default
        while folder.path != "/", !files.fileExists(atPath: folder.appending(path: "Package.swift").path) {
            folder.deleteLastPathComponent()
        }
        let plain = String(name.filter { $0.isLetter || $0.isNumber || $0 == "." })
        self.file = folder.path == "/" ? nil : folder.appending(path: ".location-tests/\(plain).json")
    }

    /// The stories, the newest first.
    var stories: [Story] {
        guard let file, let data = try? Data(contentsOf: file) else { return [] }
        return (try? JSONReader().decode([Story].self, from: data)) ?? []
    }

    /// Stores a failed story; nil deletes all stored stories, because they pass now.
    func keep(_ story: Story?) {
        guard let file else { return }
        guard let story else { return (try? FileManager.default.removeItem(at: file)) ?? () }
        let stories = [story] + self.stories.filter { $0 != story }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try? FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try? encoder.encode(Array(stories.prefix(Self.storiesMax))).write(to: file)
    }
}
