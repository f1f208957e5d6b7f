internal import Foundation
internal import Glibc

/// The terminal on standard output.
enum Terminal {
    /// The number of columns of the terminal; nil without a terminal, or if the terminal does not report it.
    static var columns: Int? {
        var size = winsize()
        guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// Whether the terminal shows colours: it supports them, and `NO_COLOR` is not set (no-color.org).
    static var isColoured: Bool {
        let environment = ProcessInfo.processInfo.environment
        return isatty(STDOUT_FILENO) == 1 && environment["NO_COLOR", default: ""].isEmpty
            && environment["TERM"].map { $0 != "dumb" } ?? false
    }

    /// Returns a text in a colour.
    static func coloured(_ text: String, _ colour: Colour?) -> String {
        colour.map { "\u{1B}[\($0.rawValue)m\(text)\u{1B}[0m" } ?? text
    }

    /// The colours of words and titles.
    enum Colour: Int {
        case title = 1
        case good = 32
        case doubtful = 33
        case bad = 31
    }
}
