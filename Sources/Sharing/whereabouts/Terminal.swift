internal import Foundation
internal import Glibc

/// The terminal on standard output.
enum Terminal {
    /// How many columns it has; nil where there is none, or it does not say.
    static var columns: Int? {
        var size = winsize()
        guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// Whether it shows colours: there is one that knows them, and nobody asked for none (no-color.org).
    static var isColoured: Bool {
        let environment = ProcessInfo.processInfo.environment
        return isatty(STDOUT_FILENO) == 1 && environment["NO_COLOR", default: ""].isEmpty
            && environment["TERM"].map { $0 != "dumb" } ?? false
    }

    /// Returns a text in a colour.
    static func coloured(_ text: String, _ colour: Colour?) -> String {
        colour.map { "\u{1B}[\($0.rawValue)m\(text)\u{1B}[0m" } ?? text
    }

    /// The colours of words, and those of titles.
    enum Colour: Int {
        case title = 1
        case good = 32
        case doubtful = 33
        case bad = 31
    }
}
