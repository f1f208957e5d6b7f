internal import Foundation
internal import WhereaboutsCLinux

/// The progress of a recording: a line that is updated on a terminal, and a summary at the end.
struct RecordingProgress {
    private let source: String
    private let unit: String
    private let isShown = isatty(STDERR_FILENO) == 1
    private let begin = ContinuousClock.now
    private var shownSecond = -1
    private var bytes = 0
    /// The number of positions or lines so far.
    private(set) var count = 0

    init(source: String, unit: String) {
        (self.source, self.unit) = (source, unit)
        self.show()
    }

    /// The time since the start.
    var seconds: Double { self.begin.duration(to: .now) / .seconds(1) }

    var words: String { "\(self.count) \(self.unit) in \(Int(self.seconds.rounded())) s" }

    mutating func recorded(_ count: Int, bytes: Int) {
        self.count += count
        self.bytes = bytes
        if Int(self.seconds) != self.shownSecond { self.show() }
    }

    /// Subtracts positions that were removed at the end.
    mutating func removed(_ count: Int) { self.count -= count }

    func end() { if self.isShown { FileHandle.standardError.write(Data("\r\u{1B}[K".utf8)) } }

    private mutating func show() {
        self.shownSecond = Int(self.seconds)
        guard self.isShown else { return }
        let size = self.bytes < 10_000 ? "\(self.bytes) bytes" : "\(self.bytes / 1000) kB"
        let line = "\r\u{1B}[K\(self.source): \(self.words), \(size); Ctrl-C ends"
        FileHandle.standardError.write(Data(line.utf8))
    }
}
