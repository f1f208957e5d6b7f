import Foundation

/// Where the app and its extension show things: line by line, at once; on iOS these would be notifications.
public enum Screen {
    /// Shows a line.
    public static func show(_ line: String) {
        FileHandle.standardOutput.write(Data("\(line)\n".utf8))
    }
}
