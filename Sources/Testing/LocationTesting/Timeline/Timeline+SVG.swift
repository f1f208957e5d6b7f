internal import Foundation

extension Timeline {
    /// A picture for a document, as SVG: the map and the lanes of ``html(title:)``.
    ///
    /// - Parameter title: the description for people who do not see the picture.
    /// - Returns: the picture; write it to a file.
    public func svg(title: String = "Timeline of a virtual device") -> String {
        var picture = self.picture()
        picture.truth = Self.thinned(picture.truth)
        picture.told = picture.told.map(Self.thinned)
        var (y, parts) = (0, [String]())
        for drawing in [Self.map(picture), self.lanes(picture)].compactMap(\.self) {
            // A page shows the titles beside the pointer, and sets its own colours.
            let shapes = drawing.shapes.replacing(/<title>[^<]*<\/title>/, with: "")
                .replacing("var(--truth)", with: "#888888").replacing("currentColor", with: "#8b949e")
            let box = "width=\"1000\" height=\"\(drawing.height)\" viewBox=\"0 0 1000 \(drawing.height)\""
            parts.append("<svg x=\"0\" y=\"\(y)\" \(box)>\(shapes)</svg>")
            y += drawing.height
        }
        var x = 210
        for (key, colour) in Self.legend where key != "problem" || self.entries.contains(where: { $0.kind == .problem })
        {
            parts.append("<rect x=\"\(x)\" y=\"\(y + 12)\" width=\"12\" height=\"12\" rx=\"2\" fill=\"\(colour)\"/>")
            parts.append("<text x=\"\(x + 17)\" y=\"\(y + 22)\">\(key)</text>")
            x += 34 + 7 * key.count
        }
        let fills = Self.legend.map { ".\($0.key){fill:\($0.colour)}" }.joined()
        let size = "viewBox=\"0 0 1000 \(y + 40)\" width=\"1000\" height=\"\(y + 40)\""
        return """
            <svg xmlns="http://www.w3.org/2000/svg" \(size) role="img" aria-label="\(Self.escaped(title))"><style>\
            text{font:12px system-ui,'DejaVu Sans',sans-serif;fill:#24292f}.paper{fill:#ffffff;stroke:#d0d7de}\
            .grid{stroke:#8885;stroke-dasharray:2 3}\(fills)\
            @media (prefers-color-scheme:dark){text{fill:#c9d1d9}.paper{fill:#0d1117;stroke:#30363d}}</style>\
            <rect class="paper" x=".5" y=".5" width="999" height="\(y + 39)" rx="8"/>
            \(parts.joined(separator: "\n"))
            </svg>

            """
    }

    /// Leaves about 200 points of a line; a picture of this size shows no more.
    private static func thinned(_ line: Picture.Line) -> Picture.Line {
        let kept = stride(from: 0, to: line.points.count, by: line.points.count / 200 + 1).map { line.points[$0] }
        return Picture.Line(name: line.name, points: kept + line.points.suffix(1))
    }
}
