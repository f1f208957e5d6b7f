package import WhereaboutsAPNS
package import WhereaboutsLocationEngine

extension Push.Priority {
    /// Converts a provider's priority, which has Apple's number.
    package init(_ priority: WhereaboutsAPNS.Priority) {
        self =
            switch priority {
            case .immediate: .immediate
            case .powerConsiderate: .considerate
            case .powerFirst: .passive
            }
    }

    /// The provider's priority.
    package var apns: WhereaboutsAPNS.Priority {
        switch self {
        case .immediate: .immediate
        case .considerate: .powerConsiderate
        case .passive: .powerFirst
        }
    }
}
