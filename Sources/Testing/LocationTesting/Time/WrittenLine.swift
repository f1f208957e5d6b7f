/// The line that a process is writing; output comes in pieces.
struct WrittenLine {
    /// Longer lines are cut: a person reads no more in a timeline.
    static let bytesMax = 1000

    private var bytes: [UInt8] = []

    /// Adds a piece.
    ///
    /// - Returns: the lines that are complete; empty ones are left out, long ones cut.
    mutating func add(_ piece: UnsafeRawBufferPointer) -> [String] {
        var lines: [String] = []
        for index in piece.indices {
            let byte = unsafe piece[index]
            if byte != UInt8(ascii: "\n") {
                if self.bytes.count < Self.bytesMax { self.bytes.append(byte) }
                continue
            }
            if !self.bytes.isEmpty { lines.append(String(decoding: self.bytes, as: UTF8.self)) }
            self.bytes = []
        }
        return lines
    }
}
