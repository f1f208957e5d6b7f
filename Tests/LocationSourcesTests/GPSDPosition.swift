internal import Foundation

@testable internal import WhereaboutsLocationSources

/// A position of gpsd (a report of mode 2 or 3), parsed independently of our decoder.
struct GPSDPosition {
    private let fields: [String: Any]

    /// The positions in gpsd's output, one a line, in order.
    static func all(in answers: Data) throws -> [GPSDPosition] {
        try answers.split(separator: UInt8(ascii: "\n")).compactMap { line in
            guard line.first == UInt8(ascii: "{"),
                let fields = try JSONSerialization.jsonObject(with: line) as? [String: Any],
                fields["class"] as? String == "TPV", let mode = fields["mode"] as? Int, mode >= 2
            else { return nil }
            return GPSDPosition(fields: fields)
        }
    }

    func number(_ name: String) -> Double? { self.fields[name] as? Double }

    /// UNIX seconds.
    var time: Double? {
        guard let text = self.fields["time"] as? String else { return nil }
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        return (try? Date(text, strategy: style))?.timeIntervalSince1970
    }

    /// Whether a fix is of the same time (1 ms) and place (1e-8°, which is 1 mm; gpsd prints nine decimals).
    ///
    /// Positions from before the first date are compared by place alone.
    func agrees(with fix: SourceFix) -> Bool {
        guard let latitude = self.number("lat"), let longitude = self.number("lon") else { return false }
        if let ours = fix.time, let theirs = self.time, abs(ours - theirs) > 0.001 { return false }
        return abs(fix.latitude - latitude) < 1e-8 && abs(fix.longitude - longitude) < 1e-8
    }
}
