import Foundation

/// Where the app shows things: line by line, at once.
enum Screen {
    static func show(_ line: String) {
        FileHandle.standardOutput.write(Data("\(line)\n".utf8))
    }
}
