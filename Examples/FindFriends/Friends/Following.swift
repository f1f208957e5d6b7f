public import Foundation

/// Whether friends ask so often that the app follows along for a while; kept in a file that app and extension share.
///
/// One push an answer is dear: each starts the extension. A friend who asks again at once keeps the app awake, with the
/// receiver on, so that the next answers come quickly.
public enum Following {
    /// Friends who ask again within this time are following.
    private static let again: TimeInterval = 60
    /// How long the app follows along after that.
    private static let duration: TimeInterval = 60

    private struct Record: Codable {
        var asked: Date
        var end: Date?
    }

    private static var file: URL {
        get throws { URL(fileURLWithPath: try Friends.path).appending(path: "following.json") }
    }

    private static var record: Record? {
        get throws { try? JSONDecoder().decode(Record.self, from: Data(contentsOf: try self.file)) }
    }

    /// Until when the app is to follow along; nil when nobody follows.
    public static var end: Date? {
        get throws { try self.record?.end }
    }

    /// Records that a friend asked.
    ///
    /// - Parameter now: when.
    /// - Returns: whether the app is to take over from the extension.
    /// - Throws: what goes wrong with the file.
    public static func asked(now: Date = .now) throws -> Bool {
        let isAgain = try self.record.map { now.timeIntervalSince($0.asked) < self.again } ?? false
        let record = Record(asked: now, end: isAgain ? now.addingTimeInterval(self.duration) : nil)
        try JSONEncoder().encode(record).write(to: self.file, options: .atomic)
        return isAgain
    }
}
