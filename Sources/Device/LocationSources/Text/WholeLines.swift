/// Passes on whole lines only, unchanged: a recording may start and end in the middle of a line.
///
/// A line that is longer than gpsd's longest is left out.
public struct WholeLines: Sendable {
    private var pending: [UInt8] = []
    /// Whether the present line's beginning is missing.
    private var isSkipping = true
    /// The number of lines passed on.
    public private(set) var count = 0

    /// Creates a filter in the middle of a line.
    public init() {}

    /// Appends the next bytes.
    ///
    /// - Parameter bytes: what arrived.
    /// - Returns: the lines that ended, with their ends.
    public mutating func feed(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var lines: [UInt8] = []
        for byte in bytes {
            let isEnd = byte == UInt8(ascii: "\n")
            if !self.isSkipping {
                self.pending.append(byte)
                if isEnd {
                    lines += self.pending
                    self.count += 1
                }
            }
            if isEnd || self.pending.count == GPSDDecoder.lineBytesMax {
                self.isSkipping = !isEnd
                self.pending.removeAll(keepingCapacity: true)
            }
        }
        return lines
    }
}
