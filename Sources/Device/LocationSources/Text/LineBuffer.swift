/// Cuts bytes into lines; at most one line of a bounded length is kept.
struct LineBuffer: Sendable {
    /// The end of a line, or of what is kept of it.
    enum Cut: Sendable, Hashable {
        /// A line without its end, and the number of bytes before it.
        case line([UInt8], start: Int)
        /// A line that goes on; all of it is left out.
        case tooLong(start: Int)
    }

    private let bytesMax: Int
    private var line: [UInt8] = []
    private var start = 0
    private var offset = 0
    private var isSkipping = false

    /// Creates a buffer that nothing came to.
    ///
    /// - Parameter bytesMax: the longest line that is kept, in bytes without its end.
    init(bytesMax: Int) { self.bytesMax = bytesMax }

    /// Takes the next byte.
    ///
    /// - Returns: what ends with it; nil: nothing, or an empty line.
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
