// Import single functions, so that the rest of the C library is out of reach: an engine uses no clock and no files.
#if canImport(Darwin)
internal import func Darwin.atan2
internal import func Darwin.cos
internal import func Darwin.sin
internal import func Darwin.tan
#else
internal import func Glibc.atan2
internal import func Glibc.cos
internal import func Glibc.sin
internal import func Glibc.tan
#endif

/// The sine of an angle in radians.
@inline(__always) func sine(_ angle: Double) -> Double { sin(angle) }

/// The cosine of an angle in radians.
@inline(__always) func cosine(_ angle: Double) -> Double { cos(angle) }

/// The tangent of an angle in radians.
@inline(__always) func tangent(_ angle: Double) -> Double { tan(angle) }

/// The angle of the point (x, y) in radians, −π…π.
@inline(__always) func arcTangent(y: Double, x: Double) -> Double { atan2(y, x) }

/// √(x² + y²); the values here are far from overflow, and underflow does not matter.
@inline(__always) func hypotenuse(_ x: Double, _ y: Double) -> Double { (x * x + y * y).squareRoot() }
