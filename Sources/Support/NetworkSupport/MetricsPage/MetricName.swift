/// The name and dimensions of a series, in the format of the page.
struct MetricName: Sendable, Hashable, Comparable {
    /// The name; characters that Prometheus does not allow become underscores.
    let label: String
    /// The dimensions, as written between braces.
    let dimensions: String

    init(label: String, dimensions: [(String, String)]) {
        self.label = Self.name(label)
        self.dimensions = dimensions.map { "\(Self.name($0.0))=\"\(Self.escaped($0.1))\"" }.joined(separator: ",")
    }

    /// Returns the name with a suffix, and the dimensions.
    func text(suffix: String = "") -> String {
        self.label + suffix + (self.dimensions.isEmpty ? "" : "{\(self.dimensions)}")
    }

    static func < (lhs: MetricName, rhs: MetricName) -> Bool {
        (lhs.label, lhs.dimensions) < (rhs.label, rhs.dimensions)
    }

    private static func name(_ text: String) -> String {
        String(text.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == ":") ? $0 : "_" })
    }

    private static func escaped(_ text: String) -> String {
        text.map { character in
            switch character {
            case "\\": "\\\\"
            case "\"": "\\\""
            case "\n": "\\n"
            default: String(character)
            }
        }.joined()
    }
}
