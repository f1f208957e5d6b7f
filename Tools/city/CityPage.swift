/// A page with plots, in one file without scripts.
struct CityPage {
    let rows: [CityRow]
    let seed: UInt64
    let incidents: Int

    private static let colors = ["#888888", "#1f77b4", "#2ca02c", "#9467bd", "#d62728", "#8c564b", "#ff7f0e"]
    private static let size = (width: 360.0, height: 260.0)
    private static let margin = (left: 48.0, right: 12.0, top: 28.0, bottom: 40.0)

    private struct Plot {
        let title: String
        let x: String
        let y: String
        let value: (CityRow) -> (x: Double, y: Double)
        let maxima: (x: Double, y: Double)
    }

    var html: String {
        let sections = CityRow.acceptances.map { acceptance in
            let rows = self.rows.filter { $0.setting.acceptance == acceptance }
            let plots = self.plots(rows).map { self.svg($0, rows) }.joined(separator: "\n")
            return
                "<h2>\(CityRow.padded(acceptance * 100, 0, 0)) % of the alerted people accept</h2>\n<div>\(plots)</div>"
        }
        return """
            <!doctype html><html lang="en"><meta charset="utf-8"><title>Alerting first responders</title>
            <style>body{font:15px sans-serif;max-width:1160px;margin:2em auto}svg{margin:0 6px}text{font:12px sans-serif}
            b{margin-right:1.2em}pre{font-size:12px;overflow-x:auto}</style>
            <h1>Alerting first responders: a simulated city</h1>
            <p>\(self.incidents) incidents for each setting, seed \(self.seed), \(CityWorld.needed) responders needed. Every rule meets
            the same people. A line joins the densities \(CityRow.densities.map { CityRow.padded($0, 0, 1) }.joined(separator: ", "))
            volunteers in a square kilometre, from the small dot to the large one. No rule is best in all plots.</p>
            <p>\(self.legend)</p>
            \(sections.joined(separator: "\n"))
            <h2>All rows</h2><pre>\(CityRow.table(self.rows).replacing("<", with: "&lt;"))</pre>
            </html>

            """
    }

    private var names: [String] { self.rows.prefix(Self.colors.count).map(\.policy) }

    private var legend: String {
        zip(self.names, Self.colors).map { "<b style=\"color:\($1)\">● \($0)</b>" }.joined()
    }

    private func plots(_ rows: [CityRow]) -> [Plot] {
        func most(_ value: (CityRow) -> Double) -> Double { max(rows.map(value).max() ?? 1, 0.01) }
        return [
            Plot(
                title: "On scene within 6 minutes, over alerts",
                x: "alerts per incident (square-root scale)",
                y: "% of incidents",
                value: { ($0.alerts.squareRoot(), $0.within6 * 100) },
                maxima: (most(\.alerts).squareRoot(), 100)
            ),
            Plot(
                title: "Redundant arrivals, over density",
                x: "volunteers per km² (square-root scale)",
                y: "arrivals beyond need",
                value: { ($0.setting.density.squareRoot(), $0.redundant) },
                maxima: (most(\.setting.density).squareRoot(), most(\.redundant))
            ),
            Plot(
                title: "Positions disclosed, over density",
                x: "volunteers per km² (square-root scale)",
                y: "people, square root",
                value: { ($0.setting.density.squareRoot(), $0.disclosed.squareRoot()) },
                maxima: (most(\.setting.density).squareRoot(), most(\.disclosed).squareRoot())
            ),
        ]
    }

    private func svg(_ plot: Plot, _ rows: [CityRow]) -> String {
        let (size, margin) = (Self.size, Self.margin)
        let (width, height) = (size.width - margin.left - margin.right, size.height - margin.top - margin.bottom)
        func x(_ value: Double) -> Double { margin.left + value / plot.maxima.x * width }
        func y(_ value: Double) -> Double { margin.top + height - value / plot.maxima.y * height }
        var parts = [
            "<rect x=\"\(margin.left)\" y=\"\(margin.top)\" width=\"\(width)\" height=\"\(height)\" fill=\"none\" stroke=\"#bbb\"/>",
            "<text x=\"\(margin.left)\" y=\"18\" font-weight=\"bold\">\(plot.title)</text>",
            "<text x=\"\(margin.left)\" y=\"\(size.height - 6)\">\(plot.x)</text>",
            "<text transform=\"rotate(-90 14 \(size.height / 2 + 50))\" x=\"14\" y=\"\(size.height / 2 + 50)\">\(plot.y)</text>",
        ]
        // The largest value of each axis, before the square root.
        let isRootX = plot.x.contains("square")
        let isRootY = plot.y.contains("square")
        let right = CityRow.padded(isRootX ? plot.maxima.x * plot.maxima.x : plot.maxima.x, 0, 0)
        let top = CityRow.padded(isRootY ? plot.maxima.y * plot.maxima.y : plot.maxima.y, 0, 0)
        parts.append(
            "<text x=\"\(size.width - margin.right)\" y=\"\(size.height - 24)\" text-anchor=\"end\">\(right)</text>"
        )
        parts.append("<text x=\"\(margin.left - 4)\" y=\"\(margin.top + 10)\" text-anchor=\"end\">\(top)</text>")
        for (name, color) in zip(self.names, Self.colors) {
            let points = rows.filter { $0.policy == name }.map { plot.value($0) }
            let line = points.map { "\(x($0.x)),\(y($0.y))" }.joined(separator: " ")
            parts.append("<polyline points=\"\(line)\" fill=\"none\" stroke=\"\(color)\" stroke-width=\"1.5\"/>")
            parts += points.enumerated().map { number, point in
                "<circle cx=\"\(x(point.x))\" cy=\"\(y(point.y))\" r=\"\(Double(number) + 2)\" fill=\"\(color)\"/>"
            }
        }
        return "<svg width=\"\(size.width)\" height=\"\(size.height)\">\(parts.joined(separator: "\n"))</svg>"
    }
}
