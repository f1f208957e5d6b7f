internal import SwiftProtobuf

extension Message {
    /// The message as all verbs print it for scripts: protobuf's own JSON on one line.
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
