internal import Glibc

/// The terminal on standard output.
enum Terminal {
    /// How many columns it has; nil where there is none, or it does not say.
    static var columns: Int? {
        var size = winsize()
        guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}
