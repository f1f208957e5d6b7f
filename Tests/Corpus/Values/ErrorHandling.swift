import CoreLocation

enum LocationFailure: Error {
    case denied
    case offline
    case other(any Error)

    init(_ error: any Error) {
        if let clError = error as? CLError {
            switch clError.code {
            case .denied, .promptDeclined: self = .denied
            case .network: self = .offline
            default: self = .other(clError)
            }
        } else {
            self = .other(error)
        }
    }
}

func attempt(_ work: () throws -> Void) -> String {
    do {
        try work()
        return "fine"
    } catch CLError.network {
        return "offline"
    } catch CLError.geocodeFoundNoResult, CLError.geocodeCanceled {
        return "nothing"
    } catch let error as CLError where error.code == .denied {
        return "denied"
    } catch let error as NSError
        where error.domain == kCLErrorDomain && error.code == CLError.Code.locationUnknown.rawValue
    {
        return "unknown"
    } catch {
        return error.localizedDescription
    }
}

func makeErrors() -> [any Error] {
    [
        CLError(.denied), CLError(CLError.Code.network), CLError(.regionMonitoringFailure, userInfo: [:]),
        NSError(domain: kCLErrorDomain, code: CLError.locationUnknown.rawValue, userInfo: nil),
    ]
}

func needsRetry(_ error: any Error) -> Bool {
    guard let code = (error as? CLError)?.code else { return false }
    return [CLError.Code.locationUnknown, .network].contains(code)
}
