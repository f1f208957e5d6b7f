internal import Foundation
internal import Glibc
internal import WhereaboutsJSONReading
internal import WhereaboutsVocabulary

/// The log for the device's owner: which app received positions when, and the outcome of each push.
///
/// It contains no position, token or payload. It is stored as JSON lines, in two files of at most ``fileBytesMax`` each.
struct DeviceLog {
    struct Line: Codable, Hashable {
        /// Microseconds since 1970.
        var time: Int64
        var bundle: String
        /// The kind of event, by a stable name for scripts.
        var event: String
        var text: String

        /// Creates a line; shortens texts from an app.
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
        /// The longest text, in bytes; ``linesMax`` such lines fit into a packet.
        static let textBytesMax = 256
    }

    /// The maximum number of lines in an answer, which always fit into a packet.
    static let linesMax = 250

    /// The longest file, in bytes: about ten thousand lines, which a family's requests fill in weeks.
    static let fileBytesMax = 1 << 20

    /// The maximum number of lines that wait while the disk does not accept them; the oldest is dropped first.
    static let waitingMax = 1000

    private let path: String
    private var handle: FileHandle?
    /// The length of the file up to its last complete line.
    private var bytes = 0
    /// The lines that are not on disk yet.
    private var waiting: [Data] = []
    /// The number of lines that were lost because too many waited.
    private var lost: UInt64 = 0
    private var reason: String?

    /// Why the newest lines are not on disk; nil if they are on disk.
    var fault: String? {
        self.reason.map { reason in
            let lost = self.lost == 0 ? "" : ", \(self.lost) were lost"
            return "\(reason); \(self.waiting.count) lines wait for it\(lost)"
        }
    }

    init(path: String) {
        self.path = path
        self.flush()
    }

    private mutating func open() throws(DaemonError) {
        // Start a new file if the file was deleted: lines in a deleted file are lost.
        if let handle = self.handle, Self.hasName(handle) { return }
        let descriptor = unsafe Glibc.open(self.path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw DaemonError("\(self.path): \(unsafe String(cString: strerror(errno)))") }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard Self.isFile(descriptor) else { throw DaemonError("\(self.path) is not a regular file; move it away") }
        self.handle = handle
        self.bytes = Int((try? handle.seekToEnd()) ?? 0)
        // An earlier locationd may have left an incomplete line; end it, so that it does not spoil the next line.
        var last: UInt8 = 0x0A
        if self.bytes > 0, unsafe pread(descriptor, &last, 1, off_t(self.bytes - 1)) == 1, last != 0x0A {
            try self.write(Data([0x0A]))
        }
    }

    private static func isFile(_ descriptor: CInt) -> Bool {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    private static func hasName(_ handle: FileHandle) -> Bool {
        var status = stat()
        return unsafe fstat(handle.fileDescriptor, &status) == 0 && status.st_nlink > 0
    }

    /// Appends a line, and writes it as soon as the disk accepts it.
    mutating func append(_ line: Line) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard var data = try? encoder.encode(line) else { return }
        data.append(0x0A)
        if self.waiting.count == Self.waitingMax {
            self.waiting.removeFirst()
            self.lost += 1
        }
        self.waiting.append(data)
        self.flush()
    }

    /// Writes the waiting lines.
    mutating func flush() {
        do throws(DaemonError) {
            try self.open()
            while let data = self.waiting.first {
                try self.write(data)
                self.waiting.removeFirst()
            }
            self.reason = nil
        } catch {
            self.reason = error.description
        }
    }

    private mutating func write(_ data: Data) throws(DaemonError) {
        if self.bytes + data.count > Self.fileBytesMax {
            guard unsafe rename(self.path, self.path + ".old") == 0 else {
                throw DaemonError("\(self.path) cannot be renamed to *.old: \(unsafe String(cString: strerror(errno)))")
            }
            self.handle = nil
            try self.open()
        }
        guard let handle = self.handle else { return }
        var written = 0
        while written < data.count {
            let count = unsafe data.withUnsafeBytes { bytes in
                unsafe pwrite(
                    handle.fileDescriptor,
                    bytes.baseAddress?.advanced(by: written),
                    data.count - written,
                    off_t(self.bytes + written)
                )
            }
            guard count > 0 || errno == EINTR else {
                let reason = errno
                _ = ftruncate(handle.fileDescriptor, off_t(self.bytes))
                errno = reason
                throw DaemonError("\(self.path): \(unsafe String(cString: strerror(errno)))")
            }
            written += max(count, 0)
        }
        self.bytes += data.count
    }

    /// The last lines, oldest first.
    func last(_ count: Int, bundle: String) -> [Line] {
        let decoder = JSONReader()
        let lines = [self.path + ".old", self.path].flatMap { path -> [Line] in
            guard let data = FileManager.default.contents(atPath: path) else { return [] }
            return data.split(separator: 0x0A).compactMap { try? decoder.decode(Line.self, from: Data($0)) }
        }
        let waiting = self.waiting.compactMap { try? decoder.decode(Line.self, from: $0) }
        return Array((lines + waiting).filter { bundle.isEmpty || $0.bundle == bundle }.suffix(count))
    }
}
