internal import FoundationEssentials
internal import SwiftProtobuf
internal import WhereaboutsAPNS
package import WhereaboutsPushEngine
package import WhereaboutsPushLinkMessages
internal import WhereaboutsVocabulary

/// The messages of a push link as protobuf.
///
/// A frame without a known body is a message of a later version, because protobuf skips unknown fields. A frame with
/// invalid fields is treated in the same way. Both are nil.
extension DeviceMessage {
    package init?(_ frame: PushLinkDeviceFrame) {
        switch frame.body {
        case .proof(let proof):
            let device = DeviceKey(bytes: Array(proof.deviceKey))
            self = .proof(LinkProof(device: device, signature: Array(proof.signature)))
        case .register(let register): self = .request(.register(topic: register.topic))
        case .unregister(let unregister): self = .request(.unregister(topic: unregister.topic))
        case .topics(let topics): self = .request(.enableTopics(topics.enabled))
        case .acknowledge(let acknowledge): self = .request(.acknowledge(id: Array(acknowledge.pushID)))
        case .ping(let ping): self = .ping(ping.number)
        case nil: return nil
        }
    }

    /// The message as a frame.
    package var frame: PushLinkDeviceFrame {
        var frame = PushLinkDeviceFrame()
        switch self {
        case .proof(let proof):
            frame.proof.deviceKey = Data(proof.device.bytes)
            frame.proof.signature = Data(proof.signature)
        case .request(.register(let topic)): frame.register.topic = topic
        case .request(.unregister(let topic)): frame.unregister.topic = topic
        // Set the whole message, because an empty list is also a message.
        case .request(.enableTopics(let topics)): frame.topics = .with { $0.enabled = topics }
        case .request(.acknowledge(let id)): frame.acknowledge.pushID = Data(id)
        case .ping(let number): frame.ping = .with { $0.number = number }
        }
        return frame
    }
}

extension GatewayMessage {
    package init?(_ frame: PushLinkGatewayFrame) {
        switch frame.body {
        case .challenge(let challenge): self = .challenge(nonce: Array(challenge.nonce))
        case .welcome(let welcome): self = .welcome(keepalive: .seconds(Int64(welcome.keepaliveSeconds)))
        case .registered(let registered):
            guard let token = DeviceToken(bytes: Array(registered.token)) else { return nil }
            self = .registered(topic: registered.topic, token: token)
        case .unregistered(let unregistered): self = .unregistered(topic: unregistered.topic)
        case .push(let push):
            guard let push = StoredPush(push) else { return nil }
            self = .push(push)
        case .pong(let pong): self = .pong(pong.number)
        case .goAway(let goAway): self = .goAway(reason: goAway.reason)
        case nil: return nil
        }
    }

    /// The message as a frame.
    package var frame: PushLinkGatewayFrame {
        var frame = PushLinkGatewayFrame()
        switch self {
        case .challenge(let nonce): frame.challenge.nonce = Data(nonce)
        case .welcome(let keepalive):
            frame.welcome = .with { $0.keepaliveSeconds = UInt32(clamping: keepalive.components.seconds) }
        case .registered(let topic, let token):
            frame.registered.topic = topic
            frame.registered.token = Data(token.bytes)
        case .unregistered(let topic): frame.unregistered.topic = topic
        case .push(let push): frame.push = push.frame
        case .pong(let number): frame.pong = .with { $0.number = number }
        case .goAway(let reason): frame.goAway.reason = reason
        }
        return frame
    }
}

extension StoredPush {
    fileprivate init?(_ frame: PushLinkPush) {
        guard let id = PushID(bytes: frame.pushID) else { return nil }
        self.init(
            id: id,
            topic: frame.topic,
            payload: Array(frame.payload),
            // The gateway sends only Apple's three priorities; for an unknown one use the most cautious.
            priority: Priority(rawValue: Int(frame.priority)) ?? .powerFirst,
            expiration: frame.expiration == 0 ? .once : .until(frame.expiration),
            collapseID: frame.collapseID.isEmpty ? nil : frame.collapseID
        )
    }

    fileprivate var frame: PushLinkPush {
        .with {
            $0.pushID = Data(self.id.bytes)
            $0.topic = self.topic
            $0.payload = Data(self.payload)
            $0.priority = UInt32(self.priority.rawValue)
            if case .until(let seconds) = self.expiration { $0.expiration = seconds }
            $0.collapseID = self.collapseID ?? ""
        }
    }
}
