internal import Foundation
internal import Hummingbird
internal import HummingbirdTLS
internal import NIOCore
internal import NIOSSL
internal import Synchronization

/// The sharing server's measure: the least that a server on Hummingbird does to hand what is posted to anyone who looks.
private final class Board: Sendable {
    private let streams = Mutex<[String: AsyncStream<ByteBuffer>.Continuation]>([:])

    /// Shows bytes to the one who looks.
    func show(_ update: ByteBuffer, to name: String) {
        var event = ByteBuffer(string: "data: ")
        event.writeString(Data(update.readableBytesView).base64EncodedString())
        event.writeString("\n\n")
        _ = self.streams.withLock { $0[name] }?.yield(event)
    }

    /// Looks, until the connection ends.
    func look(at name: String) -> AsyncStream<ByteBuffer> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ByteBuffer.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        self.streams.withLock { $0[name] = continuation }
        return stream
    }
}

let files = CommandLine.arguments.dropFirst().map { $0 }
guard files.count == 2 else { fatalError("give the certificate chain and its key, both PEM") }
private let board = Board()
let router = Router()
router.post("updates/:id") { request, context in
    board.show(try await request.body.collect(upTo: 4096), to: context.parameters.get("id") ?? "")
    return HTTPResponse.Status.ok
}
router.get("updates/:id") { _, context in
    let stream = board.look(at: context.parameters.get("id") ?? "")
    return Response(
        status: .ok,
        headers: [.contentType: "text/event-stream"],
        body: ResponseBody { writer in
            // The head leaves with the first bytes.
            try await writer.write(ByteBuffer(string: ":\n\n"))
            for await event in stream { try await writer.write(event) }
            try await writer.finish(nil)
        }
    )
}
var tls = TLSConfiguration.makeServerConfiguration(
    certificateChain: try NIOSSLCertificate.fromPEMFile(files[0]).map { .certificate($0) },
    privateKey: .privateKey(try NIOSSLPrivateKey(file: files[1], format: .pem))
)
tls.applicationProtocols = ["http/1.1"]
let application = Application(
    router: router,
    server: try .tls(.http1(), tlsConfiguration: tls),
    configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
    onServerRunning: { channel in
        // Past the buffer of `print`: a pipe is read for it.
        let line = "listening 127.0.0.1:\(channel.localAddress?.port ?? 0)\n"
        try? FileHandle.standardOutput.write(contentsOf: Data(line.utf8))
    }
)
try await application.runService()
