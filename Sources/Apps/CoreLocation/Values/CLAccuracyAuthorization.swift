/// How exactly a person lets an app know where they are, with Apple's raw values.
public enum CLAccuracyAuthorization: Int, Sendable, BitwiseCopyable {
    /// As exactly as the device can.
    case fullAccuracy = 0
    /// To some kilometres, a few times an hour.
    case reducedAccuracy = 1
}
