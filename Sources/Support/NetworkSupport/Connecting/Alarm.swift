package import WhereaboutsVocabulary

/// A clock, and a machine's only timer on it.
package protocol Alarm: AnyObject {
    /// The time on this clock.
    var now: EngineInstant { get }

    /// Rings at this deadline; not any more when it is nil. It may ring before, which machines allow.
    func follow(_ deadline: EngineInstant?)
}
