internal import Foundation

/// The rules as dots: seconds to an arrival's event across, false events a month upwards, by powers of ten.
struct Plot {
    struct Dot {
        let name: String
        let seconds: Double
        let events: Double
    }

    let dots: [Dot]

    /// One dot for each rule, in the middle of its dots.
    static func means(of dots: [Dot]) -> [Dot] {
        Rule.allCases.map { rule in
            let own = dots.filter { $0.name == rule.rawValue }
            return Dot(
                name: rule.rawValue,
                seconds: FieldFigures.mean(own.map(\.seconds)),
                events: FieldFigures.mean(own.map(\.events))
            )
        }
    }

    /// The plot, 640 by 400.
    var svg: String {
        let most = (self.dots.map(\.seconds).max() ?? 1) * 1.15
        let x = { (seconds: Double) in 70 + max(0, seconds) / most * 520 }
        // Below a tenth is drawn as a tenth.
        let y = { (events: Double) in 340 - (log10(max(events, 0.1)) + 1) / 7 * 310 }
        var lines = [
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 640 400\" font-family=\"sans-serif\" font-size=\"12\">",
            "<rect width=\"640\" height=\"400\" fill=\"white\"/>",
        ]
        for power in -1...6 {
            let height = y(pow(10, Double(power)))
            let label = power < 0 ? "none" : "\(Int(pow(10, Double(power))))"
            lines.append(Self.line(70, height, 610, height, "#ddd") + Self.text(62, height + 4, label, anchor: "end"))
        }
        for second in 0...Int(most) where second.isMultiple(of: 30) {
            lines.append(Self.text(x(Double(second)), 358, "\(second)", anchor: "middle"))
        }
        lines.append(Self.text(340, 385, "mean seconds until an arrival is told", anchor: "middle"))
        lines.append(Self.text(70, 18, "false events a month of a device at rest", anchor: "start"))
        for dot in self.dots {
            let (across, up) = (x(dot.seconds), y(dot.events))
            let color = dot.name == Rule.belief.rawValue ? "#c00" : "#06c"
            lines.append("<circle cx=\"\(tenths(across))\" cy=\"\(tenths(up))\" r=\"5\" fill=\"\(color)\"/>")
            lines.append(Self.text(across + 9, up + 4, dot.name, anchor: "start"))
        }
        return (lines + ["</svg>"]).joined(separator: "\n") + "\n"
    }

    private static func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ color: String) -> String {
        let (from, to) = ("x1=\"\(tenths(x1))\" y1=\"\(tenths(y1))\"", "x2=\"\(tenths(x2))\" y2=\"\(tenths(y2))\"")
        return "<line \(from) \(to) stroke=\"\(color)\"/>"
    }

    private static func text(_ x: Double, _ y: Double, _ text: String, anchor: String) -> String {
        "<text x=\"\(tenths(x))\" y=\"\(tenths(y))\" text-anchor=\"\(anchor)\">\(text)</text>"
    }
}

private func tenths(_ value: Double) -> String { String(format: "%.1f", value) }
