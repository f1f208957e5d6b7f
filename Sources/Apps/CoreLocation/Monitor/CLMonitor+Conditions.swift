public import Foundation

extension CLMonitor {
    /// A condition that is satisfied while the device is inside a circle on the ground.
    public struct CircularGeographicCondition: CLCondition {
        /// The center of the circle.
        public let center: CLLocationCoordinate2D
        /// The radius of the circle, in meters.
        public let radius: CLLocationDistance

        /// Creates a condition from the center and the radius of a circle.
        ///
        /// A center that is not on Earth, or a radius that is not positive or above 1,000 km, is reported by
        /// ``CLMonitor/Event/conditionUnsupported``.
        ///
        /// - Parameters:
        ///   - center: the center.
        ///   - radius: the radius in meters.
        public init(center: CLLocationCoordinate2D, radius: CLLocationDistance) {
            self.center = center
            self.radius = radius
        }

        // Apple does not document the names of the keys.
        private enum CodingKeys: CodingKey {
            case latitude, longitude, radius
        }

        /// Creates a condition by decoding it.
        ///
        /// - Parameter decoder: the decoder. Apple does not document its keys, so archives from Apple's devices cannot be read.
        /// - Throws: `DecodingError`.
        public init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            self.init(
                center: CLLocationCoordinate2D(
                    latitude: try values.decode(Double.self, forKey: .latitude),
                    longitude: try values.decode(Double.self, forKey: .longitude)
                ),
                radius: try values.decode(Double.self, forKey: .radius)
            )
        }

        /// Encodes the condition.
        public func encode(to encoder: any Encoder) throws {
            var values = encoder.container(keyedBy: CodingKeys.self)
            try values.encode(self.center.latitude, forKey: .latitude)
            try values.encode(self.center.longitude, forKey: .longitude)
            try values.encode(self.radius, forKey: .radius)
        }
    }

    /// A condition that is satisfied while the device is near a beacon.
    ///
    /// The device needs a beacon scanner (`locationd --beacon-feed`). An event of a condition that several beacons
    /// can satisfy has the beacon in ``CLMonitor/Event/refinement``.
    public struct BeaconIdentityCondition: CLCondition {
        /// The UUID of the beacons.
        public let uuid: UUID
        /// The major number of the beacons, or `nil` for any.
        public let major: UInt16?
        /// The minor number of the beacons, or `nil` for any.
        public let minor: UInt16?

        /// Creates a condition that all beacons with a UUID satisfy.
        public init(uuid: UUID) {
            self.init(uuid, nil, nil)
        }

        /// Creates a condition that all beacons with a UUID and a major number satisfy.
        public init(uuid: UUID, major: UInt16) {
            self.init(uuid, major, nil)
        }

        /// Creates a condition that one beacon satisfies.
        public init(uuid: UUID, major: UInt16, minor: UInt16) {
            self.init(uuid, major, minor)
        }

        init(_ identity: BeaconIdentity) {
            self.init(identity.uuid, identity.major, identity.minor)
        }

        private init(_ uuid: UUID, _ major: UInt16?, _ minor: UInt16?) {
            self.uuid = uuid
            self.major = major
            self.minor = minor
        }

        private enum CodingKeys: CodingKey {
            case uuid, major, minor
        }

        /// Creates a condition by decoding it.
        ///
        /// - Parameter decoder: the decoder. Apple does not document its keys, so archives from Apple's devices cannot be read.
        /// - Throws: `DecodingError`.
        public init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            self.init(
                try values.decode(UUID.self, forKey: .uuid),
                try values.decodeIfPresent(UInt16.self, forKey: .major),
                try values.decodeIfPresent(UInt16.self, forKey: .minor)
            )
        }

        /// Encodes the condition.
        public func encode(to encoder: any Encoder) throws {
            var values = encoder.container(keyedBy: CodingKeys.self)
            try values.encode(self.uuid, forKey: .uuid)
            try values.encodeIfPresent(self.major, forKey: .major)
            try values.encodeIfPresent(self.minor, forKey: .minor)
        }
    }
}
