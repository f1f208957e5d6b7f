internal import Glibc

/// How the demo looks: bold on a terminal, plain elsewhere.
enum Style {
    private static let isTerminal = isatty(1) == 1

    static func bold(_ text: String) -> String {
        self.isTerminal ? "\u{1B}[1m\(text)\u{1B}[0m" : text
    }
}
