/// Chains the lines of a journal, and finds the first fault of a chain.
///
/// ```
///   dropped for room │ first ◀── line ◀── line ◀── last │ next
///                    └──────────── ends ───────────────┘
/// ```
///
/// Each line contains the hash of the previous line, so that changing, moving or removing a line in the middle is detected. A sealed
/// record beside the lines names both ends, so that removing lines at an end is detected. After a loss, the next line continues from
/// the recorded end, not from the last line found: the gap stays visible for as long as the lines around it are kept.
package enum JournalChain {
    /// The maximum number of lines kept.
    ///
    /// Source: our choice; two lines for each answer, ten answers a day for more than two years, in 8 MB.
    package static let linesMax = 16_384
    /// The part of the lines that is removed at once when the journal is full, the oldest ones.
    ///
    /// Source: our choice; a quarter, so that the remaining 6 MB are rewritten once in 4,096 lines.
    package static let roomParts = 4

    /// The first and the last line that the device wrote and still has.
    package struct Ends: Sendable, Hashable {
        /// The number of the first line.
        package let first: UInt64
        /// The number of the last line.
        package let last: UInt64
        /// The hash of the last line.
        package let hash: [UInt8]

        package init(first: UInt64, last: UInt64, hash: [UInt8]) {
            self.first = first
            self.last = last
            self.hash = hash
        }
    }

    /// A line as read from the disk.
    package struct Link: Sendable, Hashable {
        /// The hash of its bytes.
        package let hash: [UInt8]
        /// The content; nil when the line cannot be opened, or its signature is invalid.
        package let line: JournalLine?

        package init(hash: [UInt8], line: JournalLine?) {
            self.hash = hash
            self.line = line
        }
    }

    /// The hash before the first line.
    package static var beginning: [UInt8] { Array(repeating: 0, count: JournalLine.hashByteCount) }

    /// Returns the number of the next line, and its hash of the previous one.
    ///
    /// - Parameters:
    ///   - last: the number and the hash of the last line found; nil when there is none.
    ///   - ends: the ends as they were recorded; nil when they are not known. A crash leaves them one line behind.
    /// - Returns: both.
    package static func next(
        after last: (number: UInt64, hash: [UInt8])?,
        ends: Ends?
    ) -> (number: UInt64, previous: [UInt8]) {
        if let last, last.number > ends?.last ?? 0 { return (last.number &+ 1, last.hash) }
        guard let ends else { return (1, self.beginning) }
        return (ends.last &+ 1, ends.hash)
    }

    /// Returns the first fault of the lines; nil when there is none.
    package static func fault(of links: [Link], ends: Ends?) -> JournalFault? {
        // Lines older than the record's first remain after a crash during their removal.
        var number = min(ends?.first ?? .max, links.first?.line?.number ?? .max)
        if number == .max { number = 1 }
        var previous = number == 1 ? self.beginning : nil
        for link in links {
            guard let line = link.line else { return .unreadable(line: number) }
            guard line.number == number else {
                // A line that is at another place was moved there, and is not missing.
                let isMoved = line.number < number || links.contains { $0.line?.number == number }
                return isMoved ? .unconnected(line: line.number) : .missing(first: number, last: line.number - 1)
            }
            guard previous == nil || line.previous == previous else { return .unconnected(line: number) }
            previous = link.hash
            number &+= 1
        }
        guard let ends else { return links.isEmpty ? nil : .endsUnknown }
        if ends.last >= number { return .missing(first: number, last: ends.last) }
        return ends.last == number &- 1 && !links.isEmpty && ends.hash != previous ? .unreadable(line: ends.last) : nil
    }
}
