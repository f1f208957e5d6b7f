/// Words of apps on a terminal.
enum PlainText {
    /// The text without what may steer a terminal, or turn the direction of what follows.
    static func of(_ text: String) -> String {
        var plain = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: plain.append(" ")
            case .format: break
            default: plain.append(scalar)
            }
        }
        return String(plain)
    }
}
