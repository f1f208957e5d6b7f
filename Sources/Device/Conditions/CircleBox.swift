internal import WhereaboutsGeodesy

/// The box around a circle, in latitude and longitude: a scan skips a circle whose box does not contain the point.
///
/// All values are integers in units of 1e-7°, rounded so that the box contains every point of the circle.
struct CircleBox: Sendable, Hashable {
    /// The longest distance to a boundary that a scan considers, in millimetres.
    ///
    /// 50 km: half an hour on a motorway, after which the device requests a position anyway.
    static let reach: Int64 = 50_000_000

    private let latitude: Int32
    private let longitude: Int32
    private let height: Int32
    private let width: Int32
    /// The half width of the box around the circle enlarged by ``reach``.
    private let widthInReach: Int32

    /// Creates the box around a circle.
    init(_ circle: ConditionCircle) {
        self.latitude = circle.center.latitude
        self.longitude = circle.center.longitude
        self.height = Self.height(circle.radius)
        self.width = Self.width(circle.center, height: self.height)
        self.widthInReach = Self.width(circle.center, height: Self.height(circle.radius + Self.reach))
    }

    /// Whether the box contains a point.
    func contains(_ point: QuantizedCoordinate) -> Bool {
        self.north(to: point) <= Int64(self.height) && self.east(to: point) <= Int64(self.width)
    }

    /// Whether a boundary may be within a limit from a point; the limit is at most ``reach``.
    func isNear(_ point: QuantizedCoordinate, within limit: Int64) -> Bool {
        self.north(to: point) <= Int64(self.height) + Int64(Self.height(limit))
            && self.east(to: point) <= Int64(self.widthInReach)
    }

    private func north(to point: QuantizedCoordinate) -> Int64 { abs(Int64(point.latitude) - Int64(self.latitude)) }

    private func east(to point: QuantizedCoordinate) -> Int64 {
        let east = abs(Int64(point.longitude) - Int64(self.longitude))
        return min(east, 2 * Int64(Self.halfCircle) - east)
    }

    private static let halfCircle: Int32 = 1_800_000_000

    /// Converts a length in millimetres to units of latitude, or of longitude at the equator.
    ///
    /// 0.090 437 units are a millimetre of a meridian at the equator, where degrees are shortest: a(1 − e²) of WGS-84.
    private static func height(_ millimeters: Int64) -> Int32 {
        Int32(min(millimeters * 90_440 / 1_000_000 + 1, Int64(self.halfCircle)))
    }

    /// The units of longitude that span a box of a height: 1 / cos φ times as many, at the latitude farthest from the
    /// equator.
    private static func width(_ center: QuantizedCoordinate, height: Int32) -> Int32 {
        let latitude = abs(Int64(center.latitude)) + Int64(height)
        // Near a pole the box contains every longitude.
        guard let doublings = self.latitudes.firstIndex(where: { latitude <= $0 }) else { return self.halfCircle }
        return Int32(min(Int64(height) << doublings, Int64(self.halfCircle)))
    }

    /// The latitudes with cosines of 2⁰, 2⁻¹ … 2⁻¹⁰, in units, rounded down.
    private static let latitudes: [Int64] = [
        0, 600_000_000, 755_224_878, 828_192_442, 864_166_783, 882_092_153, 891_047_170, 895_523_721, 897_761_877,
        898_880_941, 899_440_470,
    ]
}
