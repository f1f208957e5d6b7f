public import HeapModule

/// A schedule: the earliest event comes first; of two events at the same time, the event that was added first.
///
/// A plain heap does not keep the order of equal times, and a simulation would not be repeatable.
public struct EventHeap<Time: Comparable, Event> {
    @usableFromInline
    struct Entry: Comparable {
        @usableFromInline let time: Time
        @usableFromInline let order: UInt64
        @usableFromInline let event: Event

        @inlinable
        init(time: Time, order: UInt64, event: Event) {
            (self.time, self.order, self.event) = (time, order, event)
        }

        @inlinable
        static func == (lhs: Entry, rhs: Entry) -> Bool { lhs.order == rhs.order }

        @inlinable
        static func < (lhs: Entry, rhs: Entry) -> Bool { (lhs.time, lhs.order) < (rhs.time, rhs.order) }
    }

    @usableFromInline var heap = Heap<Entry>()
    @usableFromInline var order: UInt64 = 0

    /// Creates an empty schedule.
    @inlinable
    public init() {}

    /// The time of the next event; nil when no event is planned.
    @inlinable public var nextTime: Time? { self.heap.min?.time }

    /// All planned events, in no particular order.
    @inlinable public var unordered: [(time: Time, event: Event)] { self.heap.unordered.map { ($0.time, $0.event) } }

    /// Plans an event.
    @inlinable
    public mutating func insert(_ event: Event, at time: Time) {
        self.order += 1
        self.heap.insert(Entry(time: time, order: self.order, event: event))
    }

    /// Removes the next event and returns it, if it happens by `time`.
    @inlinable
    public mutating func removeNext(by time: Time) -> (time: Time, event: Event)? {
        guard let next = self.heap.min, next.time <= time else { return nil }
        self.heap.removeMin()
        return (next.time, next.event)
    }
}

extension EventHeap: Sendable where Time: Sendable, Event: Sendable {}
extension EventHeap.Entry: Sendable where Time: Sendable, Event: Sendable {}
