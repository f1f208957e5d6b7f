/// The physical orientation of a device.
public enum CLDeviceOrientation: Int32, Sendable, BitwiseCopyable {
    case unknown = 0
    /// The device is upright, with its top up.
    case portrait = 1
    /// The device is upright, with its top down.
    case portraitUpsideDown = 2
    /// The device is upright, with its top to the left.
    case landscapeLeft = 3
    /// The device is upright, with its top to the right.
    case landscapeRight = 4
    /// The device lies with its screen up.
    case faceUp = 5
    /// The device lies with its screen down.
    case faceDown = 6
}
