internal import WhereaboutsVocabulary

extension CLBackgroundActivitySession {
    /// The reasons why a background activity session is not in effect; all properties are `false` while it is in effect.
    public struct Diagnostic: Sendable {
        let bits: UInt32

        /// Creates a diagnostic; apps receive diagnostics from a session.
        package init(bits: UInt32) {
            self.bits = bits
        }

        /// A Boolean value that indicates that the session has no effect, since the person denied access or location
        /// services are off.
        public var authorizationDenied: Bool { self.has(WireBits.Session.authorizationDenied) }
        /// A Boolean value that indicates that the session has no effect, since location services are off for all
        /// apps.
        public var authorizationDeniedGlobally: Bool { self.has(WireBits.Session.authorizationDeniedGlobally) }
        /// A Boolean value that indicates that the session has no effect, since a rule of the device's owner forbids
        /// access and the person cannot change it.
        public var authorizationRestricted: Bool { self.has(WireBits.Session.authorizationRestricted) }
        /// A Boolean value that indicates that the session has no effect, since it was not created in the foreground,
        /// or the Info.plist does not contain `location` in `UIBackgroundModes`.
        public var insufficientlyInUse: Bool { self.has(WireBits.Session.insufficientlyInUse) }
        /// A Boolean value that indicates that the app must hold a service session that asks for authorization, but
        /// does not hold one.
        ///
        /// The Info.plist contains `NSLocationRequireExplicitServiceSession`.
        public var serviceSessionRequired: Bool { self.has(WireBits.Session.serviceSessionRequired) }
        /// A Boolean value that indicates that the session has no effect until the person answers a prompt.
        public var authorizationRequestInProgress: Bool { self.has(WireBits.Session.authorizationRequestInProgress) }

        private func has(_ bit: UInt16) -> Bool { self.bits & UInt32(bit) != 0 }
    }

    /// The diagnostics of a session, as an asynchronous sequence.
    ///
    /// It begins with the present diagnostic, continues with each change, and ends when the session is invalidated.
    public final class Diagnostics: AsyncSequence {
        /// The type of the sequence's elements.
        public typealias Element = Diagnostic
        /// The type of the sequence's iterator.
        public typealias AsyncIterator = Iterator
        /// The type of errors that the sequence may throw; it throws none.
        public typealias Failure = any Error

        private let client: LocationClient
        private let session: UInt64

        init(client: LocationClient, session: UInt64) {
            self.client = client
            self.session = session
        }

        /// Creates an iterator; each one begins with the present diagnostic.
        public func makeAsyncIterator() -> Iterator {
            Iterator(
                watch: DiagnosticWatch(
                    client: self.client,
                    claim: self.session,
                    "CLBackgroundActivitySession.diagnostics"
                )
            )
        }

        /// The iterator of the sequence.
        public struct Iterator: AsyncIteratorProtocol {
            /// The type of the sequence's elements.
            public typealias Element = Diagnostic

            fileprivate let watch: DiagnosticWatch

            /// Waits for the next diagnostic.
            ///
            /// - Returns: the diagnostic, or `nil` once the session is invalidated or the task is cancelled.
            public mutating func next() async throws -> Diagnostic? {
                await self.watch.next().map { Diagnostic(bits: $0) }
            }
        }
    }
}
