internal import Foundation
internal import WhereaboutsVocabulary

extension Timeline {
    /// A self-contained HTML page: a map with the true path and the positions that apps received, lanes with all
    /// events, and a list of them.
    ///
    /// - Parameter title: the page's title.
    /// - Returns: the page; write it to a file, and open the file in a browser.
    public func html(title: String = "Timeline of a virtual device") -> String {
        let picture = self.picture()
        let title = Self.escaped(title)
        let (map, lanes) = (Self.map(picture), self.lanes(picture))
        let legend = Self.legend.map { "<span class=\"key \($0.key)\"></span>\($0.key)" }.joined(separator: " ")
        return """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8"><title>\(title)</title>
            <meta name="viewport" content="width=device-width, initial-scale=1"><style>\(Self.style)</style></head><body>
            <h1>\(title)</h1>
            <p>\(Self.clock(picture.end)) of virtual time, fingerprint <code>\(self.fingerprint)</code></p>
            \(map.map { "<h2>Map</h2>\(Self.svg($0, "Map"))" } ?? "")
            <h2>Lanes</h2>\(Self.svg(lanes, "Lanes"))<p class="legend">\(legend)</p>
            \(self.list)
            </body></html>
            """
    }

    /// The lines and spans that the page draws next to the entries.
    struct Picture {
        /// A line on the map, in degrees.
        struct Line {
            let name: String
            let points: [(latitude: Double, longitude: Double)]
        }

        /// The state of an app during a period.
        struct Span {
            let lane: String
            let state: String
            let begin: Duration
            let end: Duration
        }

        var end: Duration
        var truth: Line
        var told: [Line]
        var spans: [Span]
    }

    /// A drawing of a page, 1000 wide.
    struct Drawing {
        let height: Int
        let shapes: String
    }

    private static func svg(_ drawing: Drawing, _ label: String) -> String {
        "<svg viewBox=\"0 0 1000 \(drawing.height)\" role=\"img\" aria-label=\"\(label)\">\(drawing.shapes)</svg>"
    }

    func picture() -> Picture {
        let end = Duration.nanoseconds(self.now)
        var spans: [Picture.Span] = []
        for (index, state) in self.states.enumerated() where !state.state.isEmpty {
            let next = self.states[(index + 1)...].first { $0.lane == state.lane }?.time ?? end
            spans.append(Picture.Span(lane: state.lane, state: state.state, begin: state.time, end: next))
        }
        let lines = self.draw() ?? (truth: Picture.Line(name: "the device", points: []), told: [])
        return Picture(end: end, truth: lines.truth, told: lines.told, spans: spans)
    }

    // MARK: The map

    private static let colours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"]

    static func map(_ picture: Picture) -> Drawing? {
        let lines = [picture.truth] + picture.told
        let points = lines.flatMap(\.points)
        guard let south = points.map(\.latitude).min(), let north = points.map(\.latitude).max(),
            let west = points.map(\.longitude).min(), let east = points.map(\.longitude).max()
        else { return nil }
        // One kilometre at least, so that a device that stays does not fill the map with its noise.
        let shrink = max(0.01, cos((south + north) / 2 * .pi / 180))
        let height = max(north - south, 1 / 111.32)
        let width = max((east - west) * shrink, 1 / 111.32)
        let scale = min(960 / width, 420 / height)
        let left = 500 - (east - west) * shrink * scale / 2
        let top = 230 - (north - south) * scale / 2
        func position(_ point: (latitude: Double, longitude: Double)) -> String {
            let x = left + (point.longitude - west) * shrink * scale
            let y = top + (north - point.latitude) * scale
            return String(format: "%.1f,%.1f", x, y)
        }
        var shapes = ""
        for (number, line) in lines.enumerated() {
            let colour = number == 0 ? "var(--truth)" : self.colours[(number - 1) % self.colours.count]
            let path = line.points.map(position).joined(separator: " ")
            let title = "<title>\(self.escaped(line.name))</title>"
            let style = number == 0 ? "stroke-width=\"5\" opacity=\".45\"" : "stroke-width=\"1.5\""
            shapes += "<polyline points=\"\(path)\" fill=\"none\" stroke=\"\(colour)\" \(style)>\(title)</polyline>"
            if let last = line.points.last {
                let place = position(last).split(separator: ",")
                shapes += "<circle cx=\"\(place[0])\" cy=\"\(place[1])\" r=\"4\" fill=\"\(colour)\">\(title)</circle>"
            }
            let y = 20 + 18 * number
            shapes += "<rect x=\"12\" y=\"\(y - 9)\" width=\"18\" height=\"4\" fill=\"\(colour)\"/>"
            shapes += "<text x=\"36\" y=\"\(y)\">\(self.escaped(line.name))</text>"
        }
        // A bar of a round length, at most a quarter of the width.
        let metres = [10, 100, 1_000, 10_000, 100_000, 1_000_000].last { Double($0) / 111_320 * scale < 250 } ?? 10
        let bar = Double(metres) / 111_320 * scale
        let label = metres >= 1000 ? "\(metres / 1000) km" : "\(metres) m"
        shapes += String(
            format: "<path d=\"M%.1f 440h%.1f\" stroke=\"currentColor\" stroke-width=\"2\"/>",
            980 - bar,
            bar
        )
        shapes += "<text x=\"980\" y=\"432\" text-anchor=\"end\">\(label)</text>"
        return Drawing(height: 460, shapes: shapes)
    }

    // MARK: The lanes

    func lanes(_ picture: Picture) -> Drawing {
        var names: [String] = []
        for name in picture.spans.map(\.lane) + self.entries.map(\.lane) where !names.contains(name) {
            names.append(name)
        }
        let total = max(1, Double(picture.end.nanoseconds))
        func x(_ time: Duration) -> Double { 210 + Double(time.nanoseconds) / total * 770 }
        var shapes = ""
        for step in 0...5 {
            let time = Duration.nanoseconds(picture.end.nanoseconds / 5 * Int64(step))
            shapes += String(format: "<path d=\"M%.1f 20V%d\" class=\"grid\"/>", x(time), 30 + 34 * names.count)
            let anchor = step == 5 ? "end" : "middle"
            shapes += String(format: "<text x=\"%.1f\" y=\"14\" text-anchor=\"%@\">", x(time), anchor)
            shapes += "\(Self.clock(time).split(separator: ".")[0])</text>"
        }
        for (row, name) in names.enumerated() {
            let y = 44 + 34 * row
            let label = name.count > 30 ? "…" + name.suffix(29) : name
            shapes += "<text x=\"200\" y=\"\(y + 4)\" text-anchor=\"end\">\(Self.escaped(label))</text>"
            for span in picture.spans where span.lane == name {
                let width = max(1, x(span.end) - x(span.begin))
                let place = String(format: "x=\"%.1f\" y=\"%d\" width=\"%.1f\"", x(span.begin), y - 11, width)
                let title = "\(span.state), \(Self.clock(span.begin)) to \(Self.clock(span.end))"
                shapes += "<rect \(place) height=\"22\" class=\"\(span.state)\"><title>\(title)</title></rect>"
            }
            for entry in self.entries where entry.lane == name { shapes += Self.mark(entry, x: x, y: y) }
        }
        return Drawing(height: 40 + 34 * names.count, shapes: shapes)
    }

    private static func mark(_ entry: Entry, x: (Duration) -> Double, y: Int) -> String {
        let title = "<title>\(self.clock(entry.time)) \(self.escaped(entry.text))</title>"
        if entry.count > 1 {
            let place = String(format: "x=\"%.1f\" y=\"%d\"", x(entry.time), y - 3)
            let width = String(format: "%.1f", max(1, x(entry.end) - x(entry.time)))
            return "<rect \(place) width=\"\(width)\" height=\"6\" class=\"\(entry.kind.rawValue)\">\(title)</rect>"
        }
        let place = String(format: "cx=\"%.1f\" cy=\"%d\"", x(entry.time), y)
        return "<circle \(place) r=\"3.5\" class=\"\(entry.kind.rawValue)\">\(title)</circle>"
    }

    // MARK: The list

    private var list: String {
        let rows = self.entries.map { entry in
            let times = entry.count > 1 ? " (\(entry.count) times until \(Self.clock(entry.end)))" : ""
            return "<tr class=\"row-\(entry.kind.rawValue)\"><td>\(Self.clock(entry.time))</td>"
                + "<td>\(Self.escaped(entry.lane))</td><td>\(entry.kind.mark)</td>"
                + "<td>\(Self.escaped(entry.text))\(times)</td></tr>"
        }
        let lost = self.entriesLost > 0 ? "<p>\(self.entriesLost) earlier entries were dropped.</p>" : ""
        return "<h2>Everything that happened</h2>\(lost)<table>\(rows.joined(separator: "\n"))</table>"
    }

    static func escaped(_ text: some StringProtocol) -> String {
        text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
            .replacingOccurrences(of: ">", with: "&gt;").replacingOccurrences(of: "\"", with: "&quot;")
    }

    /// The colours of the lanes, by state and kind; lines that apps print have none.
    static let legend: [(key: String, colour: String)] = [
        (key: "foreground", colour: "#56b4e966"), ("background", "#56b4e92e"), ("suspended", "#88888855"),
        ("event", "#8a8a8a"), ("decision", "#e69f00"), ("delivery", "#009e73"), ("request", "#0072b2"),
        ("problem", "#d5261e"),
    ]

    private static let style = """
        :root{color-scheme:light dark;--truth:#888}
        body{font:15px/1.45 system-ui,sans-serif;max-width:1000px;margin:2rem auto;padding:0 1rem}
        h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}
        svg{width:100%;border:1px solid #8886;border-radius:6px}svg text{font-size:11px;fill:currentColor}
        .grid{stroke:#8885;stroke-dasharray:2 3}
        \(Timeline.legend.map { ".\($0.key){fill:\($0.colour);background:\($0.colour)}" }.joined(separator: "\n"))
        .legend{font-size:13px}.key{display:inline-block;width:.9em;height:.9em;margin:0 .3em 0 .9em;border-radius:2px;
        vertical-align:-.1em}
        table{border-collapse:collapse;font-size:13px}td{padding:.1rem .6rem .1rem 0;vertical-align:top}
        td:first-child{font-variant-numeric:tabular-nums;white-space:nowrap}.row-problem td{color:#d5261e;font-weight:600}
        """
}
