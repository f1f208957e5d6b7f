extension CLLocationUpdate {
    /// The sequence of live updates; every iterator gets all elements, a slow one the newest.
    public struct Updates: AsyncSequence, Sendable {
        /// What the sequence yields.
        public typealias Element = CLLocationUpdate
        /// How it is iterated.
        public typealias AsyncIterator = Iterator
        /// Like Apple's, the sequence may throw by its type; it never does.
        public typealias Failure = any Error

        let client: LocationClient

        /// Returns an iterator; delivery starts with its first ``Iterator/next()``.
        public func makeAsyncIterator() -> Iterator {
            Iterator(client: self.client)
        }

        /// A position in the sequence.
        public struct Iterator: AsyncIteratorProtocol {
            /// What the iterator yields.
            public typealias Element = CLLocationUpdate

            private let client: LocationClient
            private var stream: Stream?

            fileprivate init(client: LocationClient) {
                self.client = client
            }

            /// Waits for the next update; nil once the task is cancelled.
            public mutating func next() async throws -> CLLocationUpdate? {
                let stream = self.stream ?? Stream(client: self.client)
                self.stream = stream
                return await stream.mailbox.next()
            }
        }

        /// Closes the stream with the iterator, on whatever way the loop was left.
        private final class Stream: Sendable {
            let client: LocationClient
            let id: UInt64
            let mailbox: LocationClient.UpdateMailbox

            init(client: LocationClient) {
                self.client = client
                (self.id, self.mailbox) = client.openStream()
            }

            deinit {
                self.client.closeStream(self.id)
            }
        }
    }
}

@available(*, unavailable)
extension CLLocationUpdate.Updates.Iterator: Sendable {}
