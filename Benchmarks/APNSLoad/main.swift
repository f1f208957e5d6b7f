internal import Foundation

// The two ends of `make bench NAME=apns-client`, in one program that is small enough for a release build.
let arguments = CommandLine.arguments.dropFirst().map { $0 }
switch arguments.first {
case "serve" where arguments.count == 3:
    try await EchoServer.serve(certificate: arguments[1], privateKey: arguments[2])
case "send" where arguments.count == 9:
    try await Load(arguments.dropFirst().map { $0 }).run()
default:
    fatalError("give serve CERTIFICATE KEY, or send PORT AUTHORITY KEY TEAM-ID KEY-ID APP PUSHES CONCURRENT")
}
