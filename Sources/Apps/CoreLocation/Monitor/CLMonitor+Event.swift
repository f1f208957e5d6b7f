public import Foundation
internal import WhereaboutsVocabulary

/// The state of a condition.
///
/// Write it as ``CLMonitor/Event/State``.
public enum __CLMonitoringState: UInt, Sendable {
    /// The device has not determined the state yet.
    case unknown = 0
    /// The condition is satisfied.
    case satisfied = 1
    /// The condition is not satisfied.
    case unsatisfied = 2
    /// The condition is not monitored; a property of the event says why.
    case unmonitored = 3
}

extension CLMonitor {
    /// A change of a condition's state, or the reason why changes are not delivered.
    ///
    /// If one of the Boolean properties is `true`, the event reports that reason, and nothing happened to the
    /// condition.
    public struct Event: Sendable {
        /// The state of a condition.
        public typealias State = __CLMonitoringState

        /// The identifier of the condition.
        public let identifier: String
        /// The condition that names the beacon exactly, if several beacons can satisfy the condition; otherwise
        /// `nil`.
        public let refinement: (any CLCondition)?
        /// The state of the condition.
        ///
        /// In an event that reports a reason, it is the state by the last event that was handled, or `.unmonitored`.
        public let state: State
        /// The date at which the state changed.
        public let date: Date
        private let bits: UInt32

        /// Creates an event; apps receive events from a monitor.
        ///
        /// - Parameters:
        ///   - identifier: the identifier of the condition.
        ///   - refinement: the exact condition that was satisfied.
        ///   - state: the state of the condition.
        ///   - date: the date of the change.
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

        /// The event for a condition that the device cannot monitor.
        static func unsupported(_ identifier: String, _ date: Date) -> Event {
            Event(unmonitored: identifier, date, WireBits.Monitor.conditionUnsupported)
        }

        /// The event for a condition beyond the limit.
        static func beyondLimit(_ identifier: String, _ date: Date) -> Event {
            Event(unmonitored: identifier, date, WireBits.Monitor.conditionLimitExceeded)
        }

        /// The reasons why the condition has no events; 0: the event reports a change of the condition.
        var diagnostics: UInt32 { self.bits }

        /// A Boolean value that indicates that events are suspended, since the person denied access or location
        /// services are off.
        public var authorizationDenied: Bool { self.has(WireBits.Update.authorizationDenied) }
        /// A Boolean value that indicates that events are suspended, since location services are off for all apps.
        public var authorizationDeniedGlobally: Bool { self.has(WireBits.Update.authorizationDeniedGlobally) }
        /// A Boolean value that indicates that events are suspended, since a rule of the device's owner forbids
        /// access and the person cannot change it.
        public var authorizationRestricted: Bool { self.has(WireBits.Update.authorizationRestricted) }
        /// A Boolean value that indicates that events are suspended until the person answers a prompt.
        public var authorizationRequestInProgress: Bool { self.has(WireBits.Update.authorizationRequestInProgress) }
        /// A Boolean value that indicates that events are suspended, since the app is not in use and has no effective
        /// Always authorization.
        public var insufficientlyInUse: Bool { self.has(WireBits.Update.insufficientlyInUse) }
        /// A Boolean value that indicates that events are suspended, since the app must hold a service session but does
        /// not hold one.
        ///
        /// The Info.plist contains `NSLocationRequireExplicitServiceSession`; create a ``CLServiceSession``.
        public var serviceSessionRequired: Bool { self.has(WireBits.Update.serviceSessionRequired) }
        /// A Boolean value that indicates that events are suspended, since only reduced accuracy is allowed.
        public var accuracyLimited: Bool { self.has(WireBits.Update.accuracyLimited) }
        /// A Boolean value that indicates that the device cannot monitor this condition.
        public var conditionUnsupported: Bool { self.has(WireBits.Monitor.conditionUnsupported) }
        /// A Boolean value that indicates that the app monitors too many conditions of this type.
        ///
        /// Only one such event is delivered. The condition is monitored after another one is removed.
        public var conditionLimitExceeded: Bool { self.has(WireBits.Monitor.conditionLimitExceeded) }
        /// A Boolean value that indicates that the device cannot store conditions and events.
        public var persistenceUnavailable: Bool { self.has(WireBits.Monitor.persistenceUnavailable) }

        private func has(_ bit: UInt16) -> Bool { self.bits & UInt32(bit) != 0 }
    }

    /// The events of a monitor, as an asynchronous sequence.
    ///
    /// An event is handled when its loop asks for the next one. If a loop ends before that, the next loop receives
    /// the event again, also after the next launch of the app.
    public struct Events: AsyncSequence, Sendable {
        /// The type of the sequence's elements.
        public typealias Element = Event
        /// The type of the sequence's iterator.
        public typealias AsyncIterator = Iterator
        /// The type of errors that the sequence may throw; it throws none.
        public typealias Failure = any Error

        let replica: MonitorReplica

        /// Creates an iterator; it reads events from its first ``Iterator/next()`` on.
        public func makeAsyncIterator() -> Iterator { Iterator(reading: MonitorReading(of: self.replica)) }

        /// The iterator of the sequence.
        public struct Iterator: AsyncIteratorProtocol {
            /// The type of the sequence's elements.
            public typealias Element = Event

            private let reading: MonitorReading

            fileprivate init(reading: MonitorReading) {
                self.reading = reading
            }

            /// Marks the last event as handled, and waits for the next one.
            ///
            /// - Returns: the event, or `nil` once the task is cancelled.
            public mutating func next() async throws -> Event? { await self.reading.next() }
        }
    }
}
