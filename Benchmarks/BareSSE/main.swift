internal import Foundation
internal import Hummingbird
internal import HummingbirdTLS
internal import NIOCore
internal import NIOSSL

// The reference for the sharing server: the least that a server on Hummingbird does to pass posted events to readers; with a
// third argument, it also keeps requests and answers in that database.
let files = CommandLine.arguments.dropFirst().map { $0 }
guard (2...3).contains(files.count) else {
    fatalError("give the certificate chain and its key, both PEM, and a database to keep requests in")
}
let board = Board()
let router = Router()
router.post("updates/:id") { request, context in
    board.show(Board.event(try await request.body.collect(upTo: 4096)), to: context.parameters.get("id") ?? "")
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
if files.count == 3 { try BareStore(path: files[2]).serve(on: router, board) }
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
        // Not `print`, which buffers: the benchmark reads this line from a pipe.
        let line = "listening 127.0.0.1:\(channel.localAddress?.port ?? 0)\n"
        try? FileHandle.standardOutput.write(contentsOf: Data(line.utf8))
    }
)
try await application.runService()
