internal import NIOCore
internal import NIOPosix

extension ServerBootstrap {
    /// Listens at a path, by the rule of ``ListeningSocket``.
    ///
    /// - Parameters:
    ///   - path: the path of the socket.
    ///   - mode: the mode of the socket's file.
    ///   - option: locationd's option that names the path.
    ///   - loop: the event loop that serves the socket.
    /// - Returns: the listening channel, or a ``DaemonError``.
    func listen(
        at path: String,
        mode: UInt32,
        of option: String,
        on loop: any EventLoop
    ) -> EventLoopFuture<any Channel> {
        do throws(DaemonError) {
            return self.withBoundSocket(try ListeningSocket.open(path, .stream, mode: mode, of: option))
        } catch {
            return loop.makeFailedFuture(error)
        }
    }
}
