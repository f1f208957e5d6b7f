internal import Foundation

/// A timeline that a test stores in a file next to itself, and compares with the present one.
struct KeptTimeline {
    /// Set to 1, every comparison writes the file instead.
    static let variable = "WHEREABOUTS_RECORD_TIMELINES"

    /// The outcome of a comparison.
    enum Finding: Equatable {
        case same
        /// There was no file to compare with, or the file was to be written again.
        case recorded
        case different(String)
        /// The file cannot be read or written.
        case unreadable(String)
    }

    let file: URL

    /// Creates the timeline with a name, in the folder `Timelines` next to a test's file.
    init(_ name: String, beside test: String) {
        self.file = URL(filePath: test).deletingLastPathComponent().appending(path: "Timelines/\(name).timeline")
    }

    func compare(with story: String, records: Bool) -> Finding {
        do {
            guard !records, FileManager.default.fileExists(atPath: self.file.path) else {
                let folder = self.file.deletingLastPathComponent()
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                try Data("\(story)\n".utf8).write(to: self.file)
                return .recorded
            }
            let kept = String(decoding: try Data(contentsOf: self.file), as: UTF8.self)
            return LineDifference(story, from: kept).map { .different($0.words) } ?? .same
        } catch {
            return .unreadable("\(error)")
        }
    }
}
