extension CLServiceSession {
    /// How a session stands.
    public struct Diagnostic: Sendable {
        private let bits: UInt32

        init(bits: UInt32) {
            self.bits = bits
        }

        /// The person refused.
        public var authorizationDenied: Bool { self.has(0) }
        /// The system is asking the person; there is no answer yet.
        public var authorizationRequestInProgress: Bool { self.has(1) }
        /// The session was taken while the app was not in use; it counts when the app comes to the foreground.
        public var insufficientlyInUse: Bool { self.has(2) }
        /// The session asks for Always and the person refused that.
        public var alwaysAuthorizationDenied: Bool { self.has(3) }

        /// The bits are those of the engine's `SessionDiagnostics`, which a test compares.
        private func has(_ bit: UInt32) -> Bool { self.bits & 1 << bit != 0 }
    }

    /// The sequence of a session's diagnostics.
    public final class Diagnostics: AsyncSequence, Sendable {
        /// What the sequence yields.
        public typealias Element = Diagnostic
        /// How it is iterated.
        public typealias AsyncIterator = Iterator
        /// Like Apple's, the sequence may throw by its type; it never does.
        public typealias Failure = any Error

        private let client: LocationClient
        private let session: UInt64

        init(client: LocationClient, session: UInt64) {
            self.client = client
            self.session = session
        }

        /// Returns an iterator; every one begins with the present diagnostic.
        public func makeAsyncIterator() -> Iterator {
            Iterator(watch: Watch(client: self.client, session: self.session))
        }

        /// A position in the sequence.
        public struct Iterator: AsyncIteratorProtocol {
            /// What the iterator yields.
            public typealias Element = Diagnostic

            fileprivate let watch: Watch

            /// Waits for the next diagnostic; nil once the session is invalidated or the task cancelled.
            public mutating func next() async throws -> Diagnostic? {
                await self.watch.mailbox.next()
            }
        }

        fileprivate final class Watch: Sendable {
            let client: LocationClient
            let session: UInt64
            let watcher: UInt64
            let mailbox: LocationClient.DiagnosticMailbox

            init(client: LocationClient, session: UInt64) {
                self.client = client
                self.session = session
                (self.watcher, self.mailbox) = client.watchSession(session)
            }

            deinit {
                self.client.unwatchSession(self.session, watcher: self.watcher)
            }
        }
    }
}
