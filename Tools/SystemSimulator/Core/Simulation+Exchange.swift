/// Requests on connections that stay open, as with HTTP/2.
extension Simulation {
    /// Sends another machine a request on such a connection: it arrives once, or the connection breaks.
    ///
    /// - Parameters:
    ///   - from: the caller.
    ///   - to: the machine that is called.
    ///   - timeout: the time the caller waits.
    ///   - handle: the called machine's work; it calls its argument with the answer, at once or later in the same life.
    ///   - then: receives the answer, or why there is none; exactly once.
    func exchange<Reply>(
        from: NodeID,
        to: Node,
        timeout: Duration,
        handle: @escaping (@escaping (Reply) -> Void) throws -> Void,
        then: @escaping (Result<Reply, NetworkError>) -> Void
    ) {
        var isOver = false
        func finish(_ result: Result<Reply, NetworkError>) {
            guard !isOver else { return }
            isOver = true
            then(result)
        }
        func carry(_ way: Network.Way, _ arrive: @escaping () -> Void) {
            guard let delay = self.network.passage(on: way, now: self.now) else { return }
            self.later(delay, arrive)
        }
        let back = Network.Way(from: to.id, to: from)
        self.later(timeout) { finish(.failure(.timeout)) }
        carry(Network.Way(from: from, to: to.id)) {
            self.later(to.slowness) {
                guard to.isUp else { return carry(back) { finish(.failure(.refused)) } }
                let life = to.life
                to.perform {
                    try handle { reply in
                        guard to.isUp, to.life == life else { return }
                        carry(back) { finish(.success(reply)) }
                    }
                }
            }
        }
    }
}
