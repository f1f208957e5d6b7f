internal import SwiftProtobuf
internal import WhereaboutsLocationWireMessages

extension CLLocationUpdate {
    /// The sequence of live updates; every iterator gets all elements, a slow one the newest.
    public struct Updates: AsyncSequence, Sendable {
        /// The elements of the sequence.
        public typealias Element = CLLocationUpdate
        /// How it is iterated.
        public typealias AsyncIterator = Iterator
        /// Like Apple's, the sequence may throw by its type; it never does.
        public typealias Failure = any Error

        private let client: LocationClient
        private let configuration: WireConfiguration

        init(client: LocationClient, _ configuration: LiveConfiguration = .default) {
            self.client = client
            self.configuration = .init(configuration)
        }

        /// Returns an iterator; delivery starts with its first ``Iterator/next()``.
        public func makeAsyncIterator() -> Iterator {
            Iterator(client: self.client, configuration: self.configuration)
        }

        /// A position in the sequence.
        public struct Iterator: AsyncIteratorProtocol {
            /// The elements of the iterator.
            public typealias Element = CLLocationUpdate

            private let client: LocationClient
            private let configuration: WireConfiguration
            private var stream: Stream?

            fileprivate init(client: LocationClient, configuration: WireConfiguration) {
                self.client = client
                self.configuration = configuration
            }

            /// Waits for the next update; nil once the task is cancelled.
            public mutating func next() async throws -> CLLocationUpdate? {
                let stream = self.stream ?? Stream(client: self.client, configuration: self.configuration)
                self.stream = stream
                return await stream.mailbox.next()
            }
        }

        /// Closes the stream with the iterator, on whatever way the loop was left.
        private final class Stream: Sendable {
            let client: LocationClient
            let id: UInt64
            let mailbox: Mailbox<CLLocationUpdate>

            init(client: LocationClient, configuration: WireConfiguration) {
                let mailbox = Mailbox<CLLocationUpdate>()
                self.client = client
                self.mailbox = mailbox
                self.id = client.openPositions(.live(.with { $0.configuration = configuration })) { update in
                    mailbox.put(update, isReplaceable: update.bits == 0)
                }
            }

            deinit {
                self.client.closeStream(self.id)
            }
        }
    }
}

@available(*, unavailable)
extension CLLocationUpdate.Updates.Iterator: Sendable {}
