package import WhereaboutsAPNS
package import WhereaboutsLocationEngine
package import WhereaboutsPushEngine
package import WhereaboutsVocabulary

extension Push {
    /// Creates a push from the gateway's; nil when the topic is not that of an app.
    ///
    /// - Parameters:
    ///   - stored: the push as the gateway sent it; its contents are not trusted.
    ///   - received: when the push arrived.
    package init?(_ stored: StoredPush, received: EngineInstant) {
        guard let bundle = BundleID(locationTopic: stored.topic) else { return nil }
        var expiration: WallTime?
        switch stored.expiration {
        // The gateway tried the push once, and so does the device.
        case .once: break
        case .until(let seconds): expiration = WallTime(seconds: seconds)
        }
        self.init(
            id: stored.id,
            bundle: bundle,
            payload: stored.payload,
            isObject: JSONObject.isObject(stored.payload),
            priority: Priority(stored.priority),
            collapseID: stored.collapseID?.cut(toBytes: Limits.collapseIDBytesMax),
            expiration: expiration,
            received: received
        )
    }

    /// Creates a test push of the device's owner.
    package init(
        test id: PushID,
        to bundle: BundleID,
        payload: [UInt8],
        priority: WhereaboutsAPNS.Priority,
        received: EngineInstant
    ) {
        self.init(
            id: id,
            bundle: bundle,
            payload: payload,
            isObject: JSONObject.isObject(payload),
            priority: Priority(priority),
            expiration: nil,
            received: received
        )
    }
}
