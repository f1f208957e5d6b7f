internal import NIOCore
internal import NIOEmbedded
internal import SwiftProtobuf
internal import WhereaboutsPushEngine
internal import WhereaboutsPushLinkMessages

@testable internal import WhereaboutsPushLink

/// Frames as they arrive over a connection, whole and in two pieces.
///
/// A decoded message stays the same when encoded again.
private func checkFrames<Frame: SwiftProtobuf.Message & Equatable>(
    _ input: [UInt8],
    _ type: Frame.Type,
    isKept: (Frame) -> Bool
) throws -> Bool {
    let whole = try frames([input[...]], type)
    let middle = input.count / 2
    try Finding.unless(try frames([input[..<middle], input[middle...]], type) == whole, "pieces tell something else")
    for frame in whole {
        let bytes: [UInt8] = try frame.serializedBytes()
        try Finding.unless(
            try Frame(serializedBytes: bytes).serializedBytes() == bytes,
            "a frame that changes when written"
        )
        try Finding.unless(isKept(frame), "a message that changes when written")
    }
    return !whole.isEmpty
}

private func frames<Frame: SwiftProtobuf.Message>(_ pieces: [ArraySlice<UInt8>], _ type: Frame.Type) throws -> [Frame] {
    let channel = EmbeddedChannel(handler: ByteToMessageHandler(PushLinkFrameDecoder<Frame>()))
    var frames: [Frame] = []
    do {
        for piece in pieces { try channel.writeInbound(ByteBuffer(bytes: piece)) }
    } catch is PushLinkError {}
    while let frame = try channel.readInbound(as: Frame.self) { frames.append(frame) }
    _ = try? channel.finish()
    return frames
}

/// Frames in a row, with corrected lengths.
private func lengthsMended(_ input: [UInt8]) -> [UInt8] {
    var (mended, rest): ([UInt8], ArraySlice<UInt8>) = ([], input[...])
    while rest.count > 4 {
        let body = rest.dropFirst(4).prefix(Int(rest[rest.startIndex + 3]))
        mended += [0, 0, 0, UInt8(body.count)] + body
        rest = rest[body.endIndex...]
    }
    return mended + rest
}

private func framed(_ messages: [some SwiftProtobuf.Message]) -> [[UInt8]] {
    let frames = messages.compactMap { try? PushLinkFraming.frame($0, allocator: ByteBufferAllocator()) }
        .map { Array($0.readableBytesView) }
    return frames + [Array(frames.joined())]
}

struct DeviceFrameTarget: FuzzTarget {
    typealias Frame = PushLinkDeviceFrame

    var seeds: [[UInt8]] {
        framed([
            Frame.with {
                $0.proof = .with {
                    $0.deviceKey = .init(repeating: 1, count: 32)
                    $0.signature = .init(repeating: 2, count: 64)
                }
            },
            .with { $0.register.topic = "com.example.Friends" }, .with { $0.unregister.topic = "com.example.Friends" },
            .with { $0.topics.enabled = ["com.example.Friends", "b"] },
            .with { $0.acknowledge.pushID = .init(repeating: 3, count: 16) }, .with { $0.ping.number = .max },
        ])
    }

    func mended(_ input: [UInt8]) -> [UInt8] { lengthsMended(input) }
    func check(_ input: [UInt8]) throws -> Bool {
        try checkFrames(input, Frame.self) { DeviceMessage($0).map { DeviceMessage($0.frame) == $0 } ?? true }
    }
}

struct GatewayFrameTarget: FuzzTarget {
    typealias Frame = PushLinkGatewayFrame

    var seeds: [[UInt8]] {
        framed([
            Frame.with { $0.challenge.nonce = .init(repeating: 1, count: 32) },
            .with { $0.welcome.keepaliveSeconds = 210 },
            .with {
                $0.registered = .with {
                    $0.topic = "com.example.Friends"
                    $0.token = .init(repeating: 2, count: 32)
                }
            },
            .with {
                $0.push = .with {
                    $0.pushID = .init(repeating: 3, count: 16)
                    $0.topic = "com.example.Friends"
                    $0.payload = .init("{}".utf8)
                    $0.priority = 10
                    $0.expiration = 1_800_000_000
                    $0.collapseID = "c"
                }
            },
            .with { $0.pong.number = .max }, .with { $0.goAway.reason = "bye" },
            .with { $0.unregistered.topic = "com.example.Friends" },
        ])
    }

    func mended(_ input: [UInt8]) -> [UInt8] { lengthsMended(input) }
    func check(_ input: [UInt8]) throws -> Bool {
        try checkFrames(input, Frame.self) { GatewayMessage($0).map { GatewayMessage($0.frame) == $0 } ?? true }
    }
}
