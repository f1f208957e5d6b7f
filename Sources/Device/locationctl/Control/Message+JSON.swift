internal import SwiftProtobuf

extension Message {
    /// The message in protobuf's JSON on one line, as all commands print it for scripts.
    ///
    /// A field at its default is left out. Times are microseconds since 1970.
    var json: String {
        get throws {
            var options = JSONEncodingOptions()
            options.alwaysPrintInt64sAsNumbers = true
            return try self.jsonString(options: options)
        }
    }
}
