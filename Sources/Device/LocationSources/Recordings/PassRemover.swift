/// Removes all points near the end of a finished recording, also those of earlier passes, such as a stop at home during
/// the day.
///
/// A segment ends where points were removed, so that no program draws a line there.
public struct PassRemover: Sendable {
    private static let segment = "</trkseg><trkseg>"

    private let ends: TrackEnds
    private var hasPoint = false
    private var beginsSegment = false
    /// The number of points that were removed.
    public private(set) var count = 0

    /// Creates the remover for the ends of a recording.
    public init(_ ends: TrackEnds) { self.ends = ends }

    /// Takes the next line that ``GPXWriter`` wrote.
    ///
    /// - Parameter line: the line, without its end.
    /// - Returns: the lines to keep; empty: none.
    public mutating func lines(for line: String) -> String {
        if line == Self.segment {
            self.beginsSegment = true
            return ""
        }
        guard let point = line.prefixMatch(of: /<trkpt lat="([-0-9.]+)" lon="([-0-9.]+)">/),
            let latitude = Double(point.output.1), let longitude = Double(point.output.2)
        else { return line + "\n" }
        if self.ends.isNearEnd(latitude: latitude, longitude: longitude) {
            self.count += 1
            self.beginsSegment = true
            return ""
        }
        defer { (self.hasPoint, self.beginsSegment) = (true, false) }
        return (self.beginsSegment && self.hasPoint ? "\(Self.segment)\n" : "") + "\(line)\n"
    }
}
