public import Foundation
internal import WhereaboutsVocabulary

/// How a condition stands, with Apple's raw values; code writes ``CLMonitor/Event/State``.
public enum __CLMonitoringState: UInt, Sendable {
    /// Not known yet.
    case unknown = 0
    /// The condition is satisfied.
    case satisfied = 1
    /// The condition is not satisfied.
    case unsatisfied = 2
    /// The condition is not watched.
    case unmonitored = 3
}

extension CLMonitor {
    /// Something that happened to a condition.
    public struct Event: Sendable {
        /// How a condition stands.
        public typealias State = __CLMonitoringState

        /// The identifier of the condition.
        public let identifier: String
        /// The exact condition that satisfied one that leaves something open; nil otherwise.
        public let refinement: (any CLCondition)?
        /// How the condition stands.
        public let state: State
        /// When it happened.
        public let date: Date
        private let bits: UInt32

        /// Creates an event; apps get theirs from a monitor.
        ///
        /// - Parameters:
        ///   - identifier: whose condition it is.
        ///   - refinement: what exactly satisfied it.
        ///   - state: how it stands.
        ///   - date: when it happened.
        ///   - bits: the diagnostics: the first eight of `WireBits.Update`, and `WireBits.Monitor`.
        package init(identifier: String, refinement: (any CLCondition)?, state: State, date: Date, bits: UInt32) {
            self.identifier = identifier
            self.refinement = refinement
            self.state = state
            self.date = date
            self.bits = bits
        }

        private init(unmonitored identifier: String, _ date: Date, _ bit: UInt16) {
            self.init(identifier: identifier, refinement: nil, state: .unmonitored, date: date, bits: UInt32(bit))
        }

        /// The word that the device cannot watch a condition.
        static func unsupported(_ identifier: String, _ date: Date) -> Event {
            Event(unmonitored: identifier, date, WireBits.Monitor.conditionUnsupported)
        }

        /// The word that there is no room for another condition.
        static func beyondLimit(_ identifier: String, _ date: Date) -> Event {
            Event(unmonitored: identifier, date, WireBits.Monitor.conditionLimitExceeded)
        }

        /// The reasons why the condition has no events; 0: something happened to it.
        var diagnostics: UInt32 { self.bits }

        /// Events are suspended: the person refused, or location services are off.
        public var authorizationDenied: Bool { self.has(WireBits.Update.authorizationDenied) }
        /// Events are suspended: location services are off for every app.
        public var authorizationDeniedGlobally: Bool { self.has(WireBits.Update.authorizationDeniedGlobally) }
        /// Events are suspended: the app is not authorized, and the person may not change that.
        public var authorizationRestricted: Bool { self.has(WireBits.Update.authorizationRestricted) }
        /// The system is asking the person; there is no answer yet.
        public var authorizationRequestInProgress: Bool { self.has(WireBits.Update.authorizationRequestInProgress) }
        /// Events are suspended: the app is not sufficiently in use.
        public var insufficientlyInUse: Bool { self.has(WireBits.Update.insufficientlyInUse) }
        /// The app chose explicit sessions and holds none that asks for authorization.
        public var serviceSessionRequired: Bool { self.has(WireBits.Update.serviceSessionRequired) }
        /// Events are suspended: only reduced accuracy is allowed.
        public var accuracyLimited: Bool { self.has(WireBits.Update.accuracyLimited) }
        /// The device cannot watch such a condition.
        public var conditionUnsupported: Bool { self.has(WireBits.Monitor.conditionUnsupported) }
        /// The app watches too many conditions of the kind.
        public var conditionLimitExceeded: Bool { self.has(WireBits.Monitor.conditionLimitExceeded) }
        /// Conditions and events cannot be stored.
        public var persistenceUnavailable: Bool { self.has(WireBits.Monitor.persistenceUnavailable) }

        private func has(_ bit: UInt16) -> Bool { self.bits & UInt32(bit) != 0 }
    }

    /// The sequence of a monitor's events; loops that read it at the same time share them.
    ///
    /// An event was handled when its loop asks for the next one. One that a loop did not handle, because it ended, comes
    /// again in the next loop, and after the next launch.
    public struct Events: AsyncSequence, Sendable {
        /// The elements of the sequence.
        public typealias Element = Event
        /// How it is iterated.
        public typealias AsyncIterator = Iterator
        /// Like Apple's, the sequence may throw by its type; it never does.
        public typealias Failure = any Error

        let replica: MonitorReplica

        /// Returns an iterator.
        public func makeAsyncIterator() -> Iterator { Iterator(reading: MonitorReading(of: self.replica)) }

        /// A position in the sequence.
        public struct Iterator: AsyncIteratorProtocol {
            /// The elements of the iterator.
            public typealias Element = Event

            private let reading: MonitorReading

            fileprivate init(reading: MonitorReading) {
                self.reading = reading
            }

            /// Takes the last event for handled, and waits for the next one; nil once the task is cancelled.
            public mutating func next() async throws -> Event? { await self.reading.next() }
        }
    }
}
