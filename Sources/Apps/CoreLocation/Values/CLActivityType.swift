/// The use of a manager's locations, with Apple's raw values.
public enum CLActivityType: Int, Sendable, BitwiseCopyable {
    /// Nothing in particular.
    case other = 1
    /// Navigation of a car.
    case automotiveNavigation = 2
    /// Sport on foot or bicycle.
    case fitness = 3
    /// Navigation of something else on the ground.
    case otherNavigation = 4
    /// Flight.
    case airborne = 5
    /// Navigation of a boat or ship.
    case maritime = 6
}
