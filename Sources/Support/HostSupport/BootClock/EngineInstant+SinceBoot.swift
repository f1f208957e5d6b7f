internal import WhereaboutsCLinux
package import WhereaboutsVocabulary

extension EngineInstant {
    /// The present time on the clock that includes suspension.
    package static func sinceBoot() -> EngineInstant { EngineInstant(sinceStart: .nanoseconds(clinux_boottime())) }
}
