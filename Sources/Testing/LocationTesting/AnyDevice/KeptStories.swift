internal import Foundation
internal import Testing
internal import WhereaboutsJSONReading

/// The stories with which a test failed, in `.location-tests` at the root of its package; they are played before any other.
struct KeptStories {
    private static let storiesMax = 16

    private let file: URL?

    /// Finds the file of a test; a test that belongs to no package, or whose folder cannot be written, keeps nothing.
    init(of test: Test) {
        let names = [test.id.moduleName] + test.id.nameComponents
        self.init(names.joined(separator: "."), near: test.sourceLocation.filePath)
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

    /// Keeps a story that failed; nil: the stories pass now, and are forgotten.
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
