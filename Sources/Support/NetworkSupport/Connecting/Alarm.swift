package import WhereaboutsVocabulary

/// A clock with a single timer, for a state machine.
package protocol Alarm: AnyObject {
    /// The present time on this clock.
    var now: EngineInstant { get }

    /// Sets the deadline, or clears it if it is nil. The timer may fire early, which state machines must ignore.
    func follow(_ deadline: EngineInstant?)
}
