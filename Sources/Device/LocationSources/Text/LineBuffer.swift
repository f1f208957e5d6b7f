/// Splits bytes into lines, and stores at most one line of a bounded length.
struct LineBuffer: Sendable {
    /// The end of a line or of its stored part.
    enum Cut: Sendable, Hashable {
        /// A line without its end, and the number of bytes before it.
        case line([UInt8], start: Int)
        /// An incomplete line that is skipped as a whole.
        case tooLong(start: Int)
    }

    private let bytesMax: Int
    private var line: [UInt8] = []
    private var start = 0
    private var offset = 0
    private var isSkipping = false

    /// Creates an empty buffer.
    ///
    /// - Parameter bytesMax: the longest line that is kept, in bytes without its end.
    init(bytesMax: Int) { self.bytesMax = bytesMax }

    /// Appends the next byte.
    ///
    /// - Returns: the line, or too long part, that ends with the byte; nil: none, or an empty line.
    mutating func feed(_ byte: UInt8) -> Cut? {
        self.offset += 1
        if byte == UInt8(ascii: "\n") {
            defer {
                self.line.removeAll(keepingCapacity: true)
                self.start = self.offset
                self.isSkipping = false
            }
            return self.isSkipping || self.line.isEmpty ? nil : .line(self.line, start: self.start)
        }
        if self.isSkipping || byte == UInt8(ascii: "\r") { return nil }
        if self.line.count == self.bytesMax {
            self.isSkipping = true
            return .tooLong(start: self.start)
        }
        self.line.append(byte)
        return nil
    }
}
