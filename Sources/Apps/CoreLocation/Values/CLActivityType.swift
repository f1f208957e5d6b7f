/// The kind of activity that an app uses location updates for.
public enum CLActivityType: Int, Sendable, BitwiseCopyable {
    case other = 1
    case automotiveNavigation = 2
    /// Sport on foot or by bicycle.
    case fitness = 3
    /// Navigation of another vehicle on the ground, such as a train.
    case otherNavigation = 4
    case airborne = 5
    /// Navigation of a boat or a ship.
    case maritime = 6
}
