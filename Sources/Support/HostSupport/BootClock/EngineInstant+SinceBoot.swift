internal import WhereaboutsCLinux
package import WhereaboutsVocabulary

extension EngineInstant {
    /// The time on the clock that counts sleep.
    package static func sinceBoot() -> EngineInstant { EngineInstant(sinceStart: .nanoseconds(clinux_boottime())) }
}
