internal import Glibc
internal import WhereaboutsCLinux
internal import WhereaboutsVocabulary

/// An end of a pipe, closed with the object.
final class PipeEnd: Sendable {
    let descriptor: Int32

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(self.descriptor) }

    /// Creates both ends of a pipe, which never block, and which other programs do not inherit.
    static func pair() throws(DaemonError) -> (reading: PipeEnd, writing: PipeEnd) {
        var ends: [Int32] = [-1, -1]
        guard unsafe clinux_pipe(&ends) == 0 else {
            throw DaemonError("cannot make a pipe: \(unsafe String(cString: strerror(errno)))")
        }
        return (PipeEnd(ends[0]), PipeEnd(ends[1]))
    }

    /// The beginning of the pipe's contents, as plain text on one line.
    func text(bytesMax: Int) -> String {
        var bytes = [UInt8](repeating: 0, count: bytesMax)
        let count = unsafe read(self.descriptor, &bytes, bytes.count)
        let text = String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
        return PlainText.of(text.split(separator: "\n").joined(separator: " "))
    }
}
