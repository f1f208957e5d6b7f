internal import Logging
internal import ServiceLifecycle
internal import UnixSignals

/// Has a server read its certificate again on SIGHUP, as those expect who renew it.
struct Reloading: Service {
    let logger: Logger
    let reload: @Sendable () throws -> Void

    func run() async throws {
        let signals = await UnixSignalsSequence(trapping: .sighup)
        for await _ in signals.cancelOnGracefulShutdown() {
            do {
                try self.reload()
                self.logger.info("the certificate was read again")
            } catch {
                self.logger.error("the certificate could not be read again", metadata: ["reason": "\(error)"])
            }
        }
    }
}
