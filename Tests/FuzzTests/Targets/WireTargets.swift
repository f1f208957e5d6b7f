internal import Foundation
internal import SwiftProtobuf
internal import Synchronization
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationHost
internal import WhereaboutsLocationWire
internal import WhereaboutsLocationWireMessages

@testable internal import CoreLocation
@testable internal import WhereaboutsLocationDaemon
@testable internal import WhereaboutsLocationctl

/// Decodes a packet as a message, and checks that it stays the same when written and read again.
private func decoded<Message: SwiftProtobuf.Message>(_ input: [UInt8], _ type: Message.Type) throws -> Message? {
    guard let message = try? WireMessage.decode(type, from: input) else { return nil }
    let written = try WireMessage.encode(message)
    let again = try WireMessage.decode(type, from: written)
    try Finding.unless(try WireMessage.encode(again) == written, "a message that changes when written")
    return message
}

private func packets(_ messages: [some SwiftProtobuf.Message]) -> [[UInt8]] {
    messages.compactMap { try? WireMessage.encode($0) }
}

struct ClientMessageTarget: FuzzTarget {
    typealias Message = WireClientMessage

    var seeds: [[UInt8]] {
        packets([
            Message.with {
                $0.declaration = .with {
                    $0.sessions = [
                        .with {
                            $0.id = 1
                            $0.requirement = .always
                            $0.fullAccuracyPurpose = "Navigation"
                        }
                    ]
                    $0.streams = [
                        .with {
                            $0.id = 2
                            $0.standard.distanceFilter = 10_000
                        }, .with { $0.live.configuration = .airborne }, .with { $0.once.desiredAccuracy = .max },
                    ]
                    $0.activities = [.with { $0.liveActivity.title = "Run" }, .with { $0.backgroundSession = .init() }]
                }
            },
            .with {
                $0.monitorChange = .with {
                    $0.monitor = 1
                    $0.add = .with {
                        $0.identifier = "home"
                        $0.circle = .with { $0.radius = 100_000 }
                    }
                }
            },
            .with {
                $0.monitorChange.add = .with {
                    $0.identifier = "till"
                    $0.beacon = .with {
                        $0.uuidHigh = .max
                        $0.major = 1
                    }
                }
            },
            .with { $0.declaration.streams = [.with { $0.ranging.minor = .max }] },
            .with { $0.monitorChange.handled = 3 }, .with { $0.monitorChange.remove = "home" },
            .with { $0.pushTokenRequest.request = 1 }, .with { $0.stopMonitoringPushes = .init() },
            .with { $0.pushCompleted.pushHigh = .max }, .with { $0.authorizationRequest.always = true },
            .with { $0.fullAccuracyRequest.purpose = "Navigation" }, .with { $0.phaseReport.phase = .background },
            .with {
                $0.geocodeRequest = .with {
                    $0.address = "Am Sandtorkai 1, Hamburg"
                    $0.near = .with {
                        $0.latitude = 535_000_000
                        $0.radius = 1000
                    }
                    $0.languages = "de-DE, en;q=0.5"
                }
            },
            .with { $0.geocodeRequest.place.latitude = 535_000_000 },
        ])
    }

    func check(_ input: [UInt8]) throws -> Bool {
        guard let message = try decoded(input, Message.self) else { return false }
        // A message of a later version has no meaning here, but is accepted.
        if case .geocodeRequest(let question?, _) = ClientMessage(message) {
            let path = question.path.utf8
            try Finding.unless(path.allSatisfy { $0 > 32 && $0 < 127 }, "a question that breaks its line")
            try Finding.unless(!question.languages.contains("\n"), "languages that break their line")
        }
        return true
    }
}

struct DaemonMessageTarget: FuzzTarget {
    typealias Message = WireDaemonMessage

    var seeds: [[UInt8]] {
        packets([
            Message.with {
                $0.state = .with {
                    $0.version = 1
                    $0.authorization = .always
                    $0.phase = .background
                    $0.launchReason = .push
                }
            },
            .with {
                $0.update = .with {
                    $0.stream = 2
                    $0.fix = .with {
                        $0.latitude = -899_999_999
                        $0.longitude = 1_799_999_999
                        $0.horizontalAccuracy = 5000
                        $0.altitude = -430_000
                        $0.verticalAccuracy = 1
                        $0.course = 35_999
                        $0.speed = 1
                        $0.time = .max
                    }
                }
            },
            .with {
                $0.update.beacons.beacons = [
                    .with {
                        $0.beacon.major = 65_535
                        $0.rssi = -65
                        $0.accuracy = 1995
                        $0.proximity = .near
                    }
                ]
            },
            .with { $0.update.diagnostics = 0x1FF }, .with { $0.diagnostics.diagnostics = 3 },
            .with { $0.pushToken.token = .init(repeating: 1, count: 32) }, .with { $0.pushToken.failure = .unknown },
            .with { $0.push.payload = .init("{}".utf8) }, .with { $0.warning = .init() }, .with { $0.finish = .init() },
            .with { $0.requestResult.declined = true },
            .with {
                $0.geocodeResult.placemarks = [
                    .with {
                        $0.latitude = 535_000_000
                        $0.radius = 100
                        $0.name = "Speicherstadt"
                        $0.areasOfInterest = ["Speicherstadt"]
                    }
                ]
            },
        ])
    }

    func check(_ input: [UInt8]) throws -> Bool {
        guard let message = try decoded(input, Message.self) else { return false }
        let device = SilentDevice()
        let client = LocationClient(transport: device)
        // A refusal is written to standard error, which is not under test.
        if case .refusal = message.body { return true }
        device.tell(message)
        device.tell(message)
        withExtendedLifetime(client) {}
        switch message.body {
        case .update(let update):
            if let place = CLLocationUpdate(update).location {
                try Finding.unless(!place.timestamp.timeIntervalSince1970.isNaN, "a time that is none")
                _ = place.description
            }
        case .geocodeResult(let result):
            for placemark in result.placemarks { _ = CLPlacemark.Fields(placemark) }
        case .state, .diagnostics, .pushToken, .push, .warning, .finish, .refusal, .requestResult, .ready,
            .monitorOpened,
            .monitorTaken, .monitorEvent, nil:
            break
        }
        return true
    }
}

/// A device that receives nothing and sends what the test says.
private final class SilentDevice: Transport {
    private let receive = Mutex<(@Sendable (TransportEvent) -> Void)?>(nil)
    let callbacks: CallbackContext? = nil

    func start(_ receive: @escaping @Sendable (TransportEvent) -> Void) {
        self.receive.withLock { $0 = receive }
        receive(.connected)
        // Without a first message from the device, a client waits for a second.
        receive(.message(.with { $0.state = .init() }))
    }

    func send(_ message: WireClientMessage) {}

    func tell(_ message: WireDaemonMessage) {
        self.receive.withLock { $0 }?(.message(message))
    }
}

struct ControlTarget: FuzzTarget {
    typealias Request = WireControlRequest
    typealias Reply = WireControlReply

    var seeds: [[UInt8]] {
        packets([
            Request.with { $0.status = .init() }, .with { $0.install.approvedEntitlements = ["a"] },
            .with { $0.run.arguments = ["a", "b"] }, .with { $0.log.last = .max },
            .with {
                $0.settings = .with {
                    $0.bundle = "com.example.Friends"
                    $0.location = .always
                    $0.precise = false
                }
            },
            .with {
                $0.push = .with {
                    $0.bundle = "com.example.Friends"
                    $0.payload = .init("{}".utf8)
                    $0.priority = 10
                }
            },
        ])
            + packets([
                Reply.with { $0.failure.message = "no" }, .with { $0.done.message = "done" },
                .with {
                    $0.status = .with {
                        $0.source = "gpsd"
                        $0.prompt = .with { $0.id = .max }
                        $0.apps = [
                            .with {
                                $0.bundle = "com.example.Friends"
                                $0.authorization = .restricted
                                $0.sessions = ["always"]
                                $0.pid = -1
                            }
                        ]
                        $0.indicators = [.with { $0.title = "Run" }]
                    }
                },
                .with { $0.log.lines = [.with { $0.time = .max }] },
                .with {
                    $0.settings.apps = [
                        .with {
                            $0.bundle = "a"
                            $0.restriction = .locked
                        }
                    ]
                },
                .with {
                    $0.pushes = .with {
                        $0.total.received = .max
                        $0.apps = [.with { $0.refused = [.with { $0.count = .max }] }]
                        $0.recent = [.with { $0.time = .min }]
                        $0.budgetRemaining = .max
                    }
                },
                .with {
                    $0.diagnosis.findings = [
                        .with {
                            $0.severity = .trouble
                            $0.subject = "gpsd"
                            $0.remedy = "plug it in"
                        }
                    ]
                },
            ])
    }

    func check(_ input: [UInt8]) throws -> Bool {
        let request = try decoded(input, Request.self)
        let reply = try decoded(input, Reply.self)
        switch reply?.body {
        case .status(let status): _ = (try status.json, status.text)
        case .pushes(let pushes): _ = (try pushes.json, pushes.text)
        case .power(let power): _ = (try power.json, power.text)
        case .diagnosis(let diagnosis):
            _ = (try diagnosis.json, diagnosis.text(isColoured: true))
        case .failure, .done, .log, .settings, .pushChecks, .recordingBegun, .recorded, nil: break
        }
        return request != nil || reply != nil
    }
}

struct AgentTarget: FuzzTarget {
    typealias Request = AgentRequest
    typealias Event = AgentEvent

    var seeds: [[UInt8]] {
        packets([
            Request.with { $0.hello = .with { $0.languages = ["de_AT.UTF-8", "pt-BR"] } },
            .with {
                $0.answer = .with {
                    $0.prompt = 1
                    $0.choice = .allowWhileUsing
                    $0.approximate = true
                }
            },
            .with { $0.setPhase.bundle = "a" }, .with { $0.dismissActivity.title = "Run" },
        ])
            + packets([
                Event.with {
                    $0.prompt = .with {
                        $0.id = 1
                        $0.appName = "Friends"
                        $0.purpose = "to show you"
                        $0.choices = [.allowOnce, .dontAllow]
                        $0.offersPrecise = true
                    }
                },
                .with { $0.withdrawal.prompt = 1 }, .with { $0.indicators.indicators = [.with { $0.title = "Run" }] },
                .with { $0.apps.apps = [.with { $0.phase = .suspended }] }, .with { $0.refusal.message = "no" },
            ])
    }

    func check(_ input: [UInt8]) throws -> Bool {
        let request = try decoded(input, Request.self)
        let event = try decoded(input, Event.self)
        if let event {
            var screen = AgentScreen()
            for _ in 0..<2 { _ = screen.shown(event) }
        }
        return request != nil || event != nil
    }
}
