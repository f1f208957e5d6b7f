/// Splits pieces of input into lines.
struct InputLines {
    /// A complete line, or an error.
    enum Line: Hashable {
        case text(String)
        /// A line of more than ``bytesMax``, whose text is dropped.
        case tooLong
    }

    /// The longest accepted line, in bytes.
    static let bytesMax = 64 * 1024

    private var bytes: [UInt8] = []
    private var isPassingOver = false

    /// Adds a piece of input.
    ///
    /// - Returns: the lines that this piece completes.
    mutating func take(_ piece: some Sequence<UInt8>) -> [Line] {
        var lines: [Line] = []
        for byte in piece {
            if byte == 0x0A {
                if let line = self.end() { lines.append(line) }
            } else if self.bytes.count == Self.bytesMax {
                self.isPassingOver = true
            } else {
                self.bytes.append(byte)
            }
        }
        return lines
    }

    /// Ends the current line, also at the end of the input; nil when it is empty.
    mutating func end() -> Line? {
        defer {
            self.bytes = []
            self.isPassingOver = false
        }
        if self.isPassingOver { return .tooLong }
        return self.bytes.isEmpty ? nil : .text(String(decoding: self.bytes, as: UTF8.self))
    }
}
