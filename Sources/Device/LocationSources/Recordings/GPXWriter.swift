internal import Foundation

/// Writes GPX 1.1, a point at a time; with ``footer`` after the newest point, the text is a complete file at any time.
///
/// Speed and course are in Garmin's extension, which other programs read, and the accuracy is in our own extension.
public struct GPXWriter: Sendable {
    private var lastTime: Double?

    /// Creates a writer of a track without points.
    public init() {}

    /// The beginning of a file.
    ///
    /// - Parameter creator: the program that makes it.
    /// - Returns: the text before the first point.
    public static func header(creator: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <gpx version="1.1" creator="\(creator)" xmlns="http://www.topografix.com/GPX/1/1"
            xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v2" xmlns:w="urn:whereabouts:gpx">
        <trk><trkseg>

        """
    }

    /// The end of a file.
    public static let footer = "</trkseg></trk>\n</gpx>\n"

    /// The text of a fix with a time; empty for a fix that is not newer.
    public mutating func point(_ fix: SourceFix) -> String {
        guard let time = fix.time, self.lastTime.map({ time > $0 }) ?? true else { return "" }
        // GPX requires a new segment after a loss of reception.
        let isGap = self.lastTime.map { time - $0 > Recording.silenceMax / .seconds(1) } ?? false
        self.lastTime = time
        var text = isGap ? "</trkseg><trkseg>\n" : ""
        text += "<trkpt lat=\"\(Self.text(fix.latitude, 7))\" lon=\"\(Self.text(fix.longitude, 7))\">"
        if let altitude = fix.altitude { text += "<ele>\(Self.text(altitude, 2))</ele>" }
        text += "<time>\(Self.text(time: time))</time>"
        let motion = [("speed", fix.speed, 3), ("course", fix.course, 2)].compactMap { name, value, digits in
            value.map { "<gpxtpx:\(name)>\(Self.text($0, digits))</gpxtpx:\(name)>" }
        }
        let accuracy = fix.horizontalAccuracy > 0 ? fix.horizontalAccuracy : nil
        if accuracy != nil || !motion.isEmpty {
            text += "<extensions>"
            if !motion.isEmpty {
                text += "<gpxtpx:TrackPointExtension>\(motion.joined())</gpxtpx:TrackPointExtension>"
            }
            if let accuracy { text += "<w:accuracy>\(Self.text(accuracy, 3))</w:accuracy>" }
            text += "</extensions>"
        }
        return text + "</trkpt>\n"
    }

    private static func text(_ number: Double, _ digits: Int) -> String {
        String(format: "%.\(digits)f", locale: nil, number)
    }

    private static func text(time: Double) -> String {
        let date = UTCTime.civil(milliseconds: max(0, Int((time * 1000).rounded())))
        let second = date.millisecondOfDay / 1000
        return String(
            format: "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ",
            locale: nil,
            date.year,
            date.month,
            date.day,
            second / 3600,
            second / 60 % 60,
            second % 60,
            date.millisecondOfDay % 1000
        )
    }
}
