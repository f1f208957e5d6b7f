internal import Foundation
internal import JSONReading
internal import Vocabulary

/// The device's log for its owner: which app was served when, and the outcome of each push.
///
/// Holds no position, token or payload. Kept as JSON lines, in two files of at most ``fileBytesMax`` each.
struct DeviceLog {
    /// One line.
    struct Line: Codable, Hashable {
        /// Microseconds since 1970.
        var time: Int64
        /// The app, or empty.
        var bundle: String
        /// A stable word for scripts.
        var event: String
        /// A sentence for people.
        var text: String

        /// Creates a line; an app's words in it are cut to a sentence.
        init(time: Int64, bundle: String, event: String, text: String) {
            self.time = time
            self.bundle = bundle.cut(toBytes: Line.bundleBytesMax)
            self.event = event.cut(toBytes: Line.eventBytesMax)
            self.text = text.shown(bytesMax: Line.textBytesMax)
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            self.init(
                time: try container.decode(Int64.self, forKey: .time),
                bundle: try container.decode(String.self, forKey: .bundle),
                event: try container.decode(String.self, forKey: .event),
                text: try container.decode(String.self, forKey: .text)
            )
        }

        /// The longest identifier that a bundle may have.
        private static let bundleBytesMax = 155
        private static let eventBytesMax = 32
        /// With the rest of the line, so that ``linesMax`` of them fit a packet.
        static let textBytesMax = 256
    }

    /// The most lines that one answer holds: less than a packet, whatever is in them.
    static let linesMax = 250

    /// A mebibyte: some ten thousand lines, weeks of a family's questions.
    static let fileBytesMax = 1 << 20

    private let path: String
    private var handle: FileHandle?
    private var bytes = 0

    init(path: String) {
        self.path = path
        self.open()
    }

    private mutating func open() {
        if !FileManager.default.fileExists(atPath: self.path) {
            _ = FileManager.default.createFile(
                atPath: self.path,
                contents: nil,
                attributes: [.posixPermissions: 0o600]
            )
        }
        self.handle = FileHandle(forWritingAtPath: self.path)
        self.bytes = Int((try? self.handle?.seekToEnd()) ?? 0)
    }

    mutating func append(_ line: Line) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard var data = try? encoder.encode(line) else { return }
        data.append(0x0A)
        if self.bytes + data.count > Self.fileBytesMax {
            try? self.handle?.close()
            try? FileManager.default.removeItem(atPath: self.path + ".old")
            try? FileManager.default.moveItem(atPath: self.path, toPath: self.path + ".old")
            self.open()
        }
        try? self.handle?.write(contentsOf: data)
        self.bytes += data.count
    }

    /// The last lines, oldest first.
    func last(_ count: Int, bundle: String) -> [Line] {
        let decoder = JSONReader()
        let lines = [self.path + ".old", self.path].flatMap { path -> [Line] in
            guard let data = FileManager.default.contents(atPath: path) else { return [] }
            return data.split(separator: 0x0A).compactMap { try? decoder.decode(Line.self, from: Data($0)) }
        }
        return Array(lines.filter { bundle.isEmpty || $0.bundle == bundle }.suffix(count))
    }
}
