/// How a device is held, with Apple's raw values.
public enum CLDeviceOrientation: Int32, Sendable, BitwiseCopyable {
    /// Not known.
    case unknown = 0
    /// Upright.
    case portrait = 1
    /// Upright, the top down.
    case portraitUpsideDown = 2
    /// Upright, the top to the left.
    case landscapeLeft = 3
    /// Upright, the top to the right.
    case landscapeRight = 4
    /// Lying on its back.
    case faceUp = 5
    /// Lying on its face.
    case faceDown = 6
}
