internal import Testing
internal import WhereaboutsLocationSources

@Suite struct ReceiverAddressTests {
    @Test(arguments: [
        ("boat:10110", ReceiverAddress.tcp(host: "boat", port: 10_110)), ("tcp://[::1]:1", .tcp(host: "::1", port: 1)),
        ("udp://:10110", .udp(host: "127.0.0.1", port: 10_110)), ("udp://0.0.0.0:9", .udp(host: "0.0.0.0", port: 9)),
        ("listen://[::]:10110", .listener(host: "::", port: 10_110)), ("-", .standardInput),
        ("/dev/serial/by-id/usb-u-blox", .device(path: "/dev/serial/by-id/usb-u-blox")),
    ])
    func addressesAreRead(_ text: String, _ address: ReceiverAddress) {
        #expect(ReceiverAddress(text) == address)
        #expect(ReceiverAddress(address.description) == address)
    }

    @Test(arguments: [
        "", "boat", "boat:", ":10110", "boat:0", "boat:65536", "gpsd://boat:2947", "::1:2947", "udp://", "http://a:80",
    ])
    func othersAreNone(_ text: String) {
        #expect(ReceiverAddress(text) == nil)
    }
}
