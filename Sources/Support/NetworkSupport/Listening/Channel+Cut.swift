package import NIOCore
internal import NIOSSL

extension Channel {
    /// Closes a connection without the TLS closing handshake, because a peer that never replies would hold a descriptor meanwhile.
    package func cut() {
        self.eventLoop.execute {
            let tls = try? self.pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self)
            // A close from this handler's place skips the handler itself.
            if let tls { tls.close(promise: nil) } else { self.close(promise: nil) }
        }
    }
}
