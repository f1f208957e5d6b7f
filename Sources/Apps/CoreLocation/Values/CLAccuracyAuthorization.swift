/// The accuracy of the locations that the person allows an app to receive.
public enum CLAccuracyAuthorization: Int, Sendable, BitwiseCopyable {
    /// Locations are as accurate as the device can find them.
    case fullAccuracy = 0
    /// Locations are approximate, to about 5 kilometers, and change at most four times per hour.
    case reducedAccuracy = 1
}
