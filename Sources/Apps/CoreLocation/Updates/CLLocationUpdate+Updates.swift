internal import SwiftProtobuf
internal import WhereaboutsLocationWireMessages

extension CLLocationUpdate {
    /// Live updates of the location, as an asynchronous sequence.
    ///
    /// Iterating starts the delivery, and leaving the loop stops it. Each iterator receives all updates; a loop that
    /// is slow receives the newest location.
    public struct Updates: AsyncSequence, Sendable {
        /// The type of the sequence's elements.
        public typealias Element = CLLocationUpdate
        /// The type of the sequence's iterator.
        public typealias AsyncIterator = Iterator
        /// The type of errors that the sequence may throw; it throws none.
        public typealias Failure = any Error

        private let client: LocationClient
        private let configuration: WireConfiguration

        init(client: LocationClient, _ configuration: LiveConfiguration = .default) {
            self.client = client
            self.configuration = .init(configuration)
        }

        /// Creates an iterator; the delivery starts with its first ``Iterator/next()``.
        public func makeAsyncIterator() -> Iterator {
            Iterator(client: self.client, configuration: self.configuration)
        }

        /// The iterator of the sequence.
        public struct Iterator: AsyncIteratorProtocol {
            /// The type of the sequence's elements.
            public typealias Element = CLLocationUpdate

            private let client: LocationClient
            private let configuration: WireConfiguration
            private var stream: Stream?

            fileprivate init(client: LocationClient, configuration: WireConfiguration) {
                self.client = client
                self.configuration = configuration
            }

            /// Waits for the next update.
            ///
            /// - Returns: the update, or `nil` once the task is cancelled.
            public mutating func next() async throws -> CLLocationUpdate? {
                let stream = self.stream ?? Stream(client: self.client, configuration: self.configuration)
                self.stream = stream
                self.client.transport.awaits("CLLocationUpdate.liveUpdates()", loop: stream.id)
                return await stream.mailbox.next()
            }
        }

        /// Closes the stream when the iterator is released.
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
