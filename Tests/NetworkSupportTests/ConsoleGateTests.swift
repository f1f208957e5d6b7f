internal import Testing

@testable internal import WhereaboutsConsole

/// Tests for the access rules of a console's page: token, cookie, `Host`, `Origin` and method.
@Suite struct ConsoleGateTests {
    private typealias Request = ConsoleGate.Request

    private var gate: ConsoleGate
    private let target: String
    private let folder: String
    private let cookie: String

    /// Opens a gate, as the first browser does.
    init() throws {
        self.gate = ConsoleGate(actions: ["control"])
        self.gate.port = 4000
        let prefix = "http://127.0.0.1:4000"
        try #require(self.gate.address.hasPrefix(prefix))
        self.target = String(self.gate.address.dropFirst(prefix.count))
        let decision = self.gate.decide(Request(method: "GET", target: self.target, hosts: ["127.0.0.1:4000"]))
        guard case .admit(let folder, let field) = decision else { throw ConsoleGate.Refusal(0, "\(decision)") }
        #expect(field.hasSuffix("; Path=\(folder); HttpOnly; SameSite=Strict"))
        self.folder = folder
        self.cookie = String(field.prefix { $0 != ";" })
    }

    private func get(_ name: String) -> Request {
        Request(method: "GET", target: self.folder + name, hosts: ["127.0.0.1:4000"], cookies: [self.cookie])
    }

    private func post(_ name: String) -> Request {
        Request(
            method: "POST",
            target: self.folder + name,
            hosts: ["127.0.0.1:4000"],
            origins: ["http://127.0.0.1:4000"],
            cookies: [self.cookie],
            contentType: "application/json"
        )
    }

    private static func status(_ decision: ConsoleGate.Decision) -> Int? {
        if case .refuse(let refusal) = decision { refusal.status } else { nil }
    }

    @Test func thePageItsEventsAndItsOrdersAreThere() {
        var gate = self.gate
        #expect(gate.decide(self.get("")) == .page)
        #expect(gate.decide(self.get("events")) == .events(""))
        #expect(gate.decide(self.get("events?position")) == .events("position"))
        #expect(gate.decide(self.post("control")) == .act("control"))
        var other = self.get("")
        other.cookies = ["theme=dark; console=old", "a=b; \(self.cookie); c=d"]
        #expect(gate.decide(other) == .page, "cookies of other programs on this host are sent along")
    }

    @Test func theTokenWorksOnce() {
        var gate = self.gate
        let again = Request(method: "GET", target: self.target, hosts: ["127.0.0.1:4000"])
        #expect(Self.status(gate.decide(again)) == 403)
        for wrong in ["/", "/?token=", "/?token=\(String(repeating: "0", count: 32))", "/?" + self.target] {
            var gate = ConsoleGate(actions: [])
            gate.port = 4000
            let request = Request(method: "GET", target: wrong, hosts: ["127.0.0.1:4000"])
            #expect(Self.status(gate.decide(request)) == 403, "\(wrong)")
            #expect(Self.status(gate.decide(request)) == 403, "a wrong token opens nothing for the next one")
        }
        #expect(
            Self.status(gate.decide(Request(method: "HEAD", target: self.target, hosts: ["127.0.0.1:4000"]))) == 405
        )
    }

    /// Goal: a name that resolves to loopback, as in DNS rebinding, gets no access, whatever else the request contains.
    @Test(arguments: [
        ["evil.example:4000"], ["127.0.0.1"], ["127.0.0.1:4001"], [], ["[::1]:4000"],
        ["127.0.0.1:4000", "evil.example:4000"],
    ])
    func theHostMustBeTheConsoles(_ hosts: [String]) {
        var gate = self.gate
        for var request in [self.get(""), self.get("events"), self.post("control")] {
            request.hosts = hosts
            #expect(Self.status(gate.decide(request)) == 421)
        }
    }

    @Test func theNameLocalhostIsTheConsoles() {
        var gate = self.gate
        var request = self.post("control")
        request.hosts = ["localhost:4000"]
        #expect(Self.status(gate.decide(request)) == 403, "the origin is another one")
        request.origins = ["http://localhost:4000"]
        #expect(gate.decide(request) == .act("control"))
    }

    @Test(arguments: [["http://evil.example"], ["null"], ["http://127.0.0.1:4001"], ["https://127.0.0.1:4000"]])
    func theOriginMustBeThePage(_ origins: [String]) {
        var gate = self.gate
        for var request in [self.get(""), self.get("events"), self.post("control")] {
            request.origins = origins
            #expect(Self.status(gate.decide(request)) == 403)
        }
    }

    @Test func anOrderSaysItsOriginAndType() {
        var gate = self.gate
        var request = self.post("control")
        request.origins = []
        #expect(Self.status(gate.decide(request)) == 403)
        request = self.post("control")
        request.contentType = "text/plain"
        #expect(Self.status(gate.decide(request)) == 415, "a form can send this type")
    }

    @Test func aStrangerGetsNothing() {
        var gate = self.gate
        for name in ["", "events", "control"] {
            for cookies in [[], ["console="], ["console=\(String(repeating: "0", count: 32))"], ["x\(self.cookie)"]] {
                var request = name == "control" ? self.post(name) : self.get(name)
                request.cookies = cookies
                #expect(Self.status(gate.decide(request)) == 403)
            }
        }
        var elsewhere = self.get("")
        elsewhere.target = "/\(String(repeating: "0", count: 32))/"
        #expect(Self.status(gate.decide(elsewhere)) == 404)
    }

    @Test func ordersArePostsAndPagesAreGets() {
        var gate = self.gate
        for method in ["GET", "HEAD", "PUT", "OPTIONS"] {
            var request = self.post("control")
            request.method = method
            #expect(Self.status(gate.decide(request)) == 405)
        }
        for name in ["", "events"] {
            var request = self.get(name)
            request.method = "POST"
            #expect(Self.status(gate.decide(request)) == 405)
        }
        #expect(Self.status(gate.decide(self.get("secret"))) == 404)
    }

    @Test func nothingIsServedBeforeThePortIsKnown() {
        var gate = ConsoleGate(actions: [])
        #expect(Self.status(gate.decide(Request(method: "GET", target: "/", hosts: ["127.0.0.1:0"]))) == 421)
    }

    @Test func eachGateHasItsOwnSecrets() {
        let gates = (0..<20).map { _ in ConsoleGate(actions: []).address }
        #expect(Set(gates).count == 20)
    }

    /// Goal: a line break in the data does not begin another event.
    @Test func dataStaysInItsEvent() {
        #expect(ConsoleEvent("a", "1\n\nevent: b").text == "event: a\ndata: 1\ndata: \ndata: event: b\n\n")
    }
}
