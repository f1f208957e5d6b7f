internal import WhereaboutsVocabulary

extension CLBackgroundActivitySession {
    /// The reasons why a background activity session is not in effect; each property is `false` while it is.
    public struct Diagnostic: Sendable {
        let bits: UInt32

        /// Creates a diagnostic; apps get theirs from a session.
        package init(bits: UInt32) {
            self.bits = bits
        }

        /// The person refused, or location services are off.
        public var authorizationDenied: Bool { self.has(WireBits.Session.authorizationDenied) }
        /// Location services are off for every app.
        public var authorizationDeniedGlobally: Bool { self.has(WireBits.Session.authorizationDeniedGlobally) }
        /// The app is not authorized, and the person may not change that.
        public var authorizationRestricted: Bool { self.has(WireBits.Session.authorizationRestricted) }
        /// The session was begun outside the foreground, or the Info.plist does not allow it.
        public var insufficientlyInUse: Bool { self.has(WireBits.Session.insufficientlyInUse) }
        /// The app chose explicit sessions, and holds none that asks for authorization.
        public var serviceSessionRequired: Bool { self.has(WireBits.Session.serviceSessionRequired) }
        /// The system is asking the person; there is no answer yet.
        public var authorizationRequestInProgress: Bool { self.has(WireBits.Session.authorizationRequestInProgress) }

        private func has(_ bit: UInt16) -> Bool { self.bits & UInt32(bit) != 0 }
    }

    /// The sequence of a background activity session's diagnostics.
    public final class Diagnostics: AsyncSequence {
        /// The elements of the sequence.
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
            Iterator(watch: DiagnosticWatch(client: self.client, claim: self.session))
        }

        /// A position in the sequence.
        public struct Iterator: AsyncIteratorProtocol {
            /// The elements of the iterator.
            public typealias Element = Diagnostic

            fileprivate let watch: DiagnosticWatch

            /// Waits for the next diagnostic; nil once the session is invalidated or the task cancelled.
            public mutating func next() async throws -> Diagnostic? {
                await self.watch.next().map { Diagnostic(bits: $0) }
            }
        }
    }
}
