internal import Crypto
internal import Foundation
internal import Testing
internal import WhereaboutsPushEngine
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsPushGateway

@Suite struct ProviderTokenReaderTests {
    static let key = P256.Signing.PrivateKey()
    static let reader = ProviderTokenReader(keys: [
        ProviderKey(teamID: GatewayRig.teamID, keyID: GatewayRig.keyID, publicKey: Self.key.publicKey, scope: .all)
    ])

    static func evidence(_ token: String, scheme: String = "bearer") -> ProviderTokenEvidence {
        Self.reader.evidence(authorization: "\(scheme) \(token)")
    }

    static func verified(_ milliseconds: Int64) -> ProviderTokenEvidence {
        .verified(
            ProviderClaims(
                teamID: GatewayRig.teamID,
                keyID: GatewayRig.keyID,
                issuedAt: WallTime(milliseconds: milliseconds),
                scope: .all
            )
        )
    }

    /// Goal: all forms of tokens that real clients send are read, including their forms of `iat`.
    @Test(
        arguments: [
            ("1795233338", 1_795_233_338_000), (#""1795233338""#, 1_795_233_338_000),
            ("1795233534.5", 1_795_233_534_500),
            ("1795233338000", 1_795_233_338_000), (#""1795233338000""#, 1_795_233_338_000),
        ] as [(String, Int64)]
    )
    func issuedAt(iat: String, milliseconds: Int64) throws {
        for isDER in [false, true] {
            for encoding in [TokenMaker.Encoding.base64URL, .paddedStandard] {
                let token = try TokenMaker(key: Self.key, isDER: isDER, encoding: encoding).token(iat: iat)
                #expect(Self.evidence(token) == Self.verified(milliseconds))
            }
        }
    }

    @Test(arguments: ["bearer", "Bearer", "BEARER"]) func scheme(scheme: String) throws {
        let token = try TokenMaker(key: Self.key).token(iat: "1795233338")
        #expect(Self.evidence(token, scheme: scheme) == Self.verified(1_795_233_338_000))
    }

    /// Goal: a mock without keys accepts a token of any key, if it has the form that Apple documents.
    @Test func aMockWithoutKeysChecksTheFormAlone() throws {
        let reader = ProviderTokenReader(keys: [], acceptsEveryKey: true)
        func evidence(_ maker: TokenMaker) throws -> ProviderTokenEvidence {
            reader.evidence(authorization: "bearer \(try maker.token(iat: "1"))")
        }
        for isDER in [false, true] {
            #expect(try evidence(TokenMaker(key: Self.key, isDER: isDER)) == Self.verified(1000))
        }
        #expect(try evidence(TokenMaker(key: Self.key, team: "SHORT")) == .malformed)
        #expect(try evidence(TokenMaker(key: Self.key, header: #"{"alg":"ES256","kid":"K"}"#)) == .malformed)
        let token = try TokenMaker(key: Self.key).token(iat: "1")
        let unsigned = token.split(separator: ".").dropLast().joined(separator: ".")
        #expect(reader.evidence(authorization: "bearer \(unsigned).AAAA") == .malformed)
    }

    /// Goal: a mock's list says which part of a token is wrong; `InvalidProviderToken` does not.
    @Test func theFaultOfATokenIsNamed() throws {
        let reader = ProviderTokenReader(keys: [], acceptsEveryKey: true)
        func fault(_ authorization: String?, _ reader: ProviderTokenReader = reader) -> String? {
            ProviderTokenReader.fault(
                reader.evidence(authorization: authorization),
                authorization: authorization
            )
        }
        func fault(_ maker: TokenMaker, iat: String = "1") throws -> String? {
            fault("bearer \(try maker.token(iat: iat))")
        }
        let good = try TokenMaker(key: Self.key).token(iat: "1")
        let parts = good.split(separator: ".")
        for (authorization, words) in [
            (nil, "no provider token"), ("", "no provider token"), ("bearer", "no provider token"),
            (good, "not 'bearer TOKEN'"), ("Basic \(good)", "not 'bearer TOKEN'"),
            ("bearer \(good) x", "not 'bearer TOKEN'"), ("bearer x", "has 1 parts"),
            ("bearer x.\(parts[1]).\(parts[2])", "The first part"),
            ("bearer \(parts[0]).x.\(parts[2])", "The second part"),
            ("bearer \(parts[0]).\(parts[1]).AAAA", "The third part"),
            ("bearer " + String(repeating: "x", count: 4096), "more than 4096 bytes"),
        ] {
            #expect(fault(authorization)?.contains(words) == true, "\(authorization ?? "nothing")")
        }
        #expect(try fault(TokenMaker(key: Self.key, team: "SHORT"))?.contains("iss is not an ID") == true)
        let short = TokenMaker(key: Self.key, header: #"{"kid":"K"}"#)
        #expect(try fault(short)?.contains("kid is not an ID") == true)
        let other = TokenMaker(key: Self.key, header: #"{"alg":"RS256","kid":"KEYKEYKEY1"}"#)
        #expect(try fault(other)?.contains("The first part") == true)
        #expect(try fault(TokenMaker(key: Self.key), iat: "null")?.contains("The second part") == true)
        #expect(fault("bearer \(good)") == nil)
        #expect(fault("bearer \(good)", ProviderTokenReader(keys: []))?.contains("No --key has") == true)
        let stranger = try TokenMaker(key: P256.Signing.PrivateKey()).token(iat: "1")
        #expect(fault("bearer \(stranger)", Self.reader)?.contains("not signed with the key") == true)
    }

    @Test func theAlgorithmMayBeLeftOutButNotBeAnother() throws {
        let without = TokenMaker(key: Self.key, header: #"{"kid":"KEYKEYKEY1"}"#)
        #expect(Self.evidence(try without.token(iat: "1")) == Self.verified(1000))
        for alg in ["none", "HS256", "RS256"] {
            let other = TokenMaker(key: Self.key, header: #"{"alg":"\#(alg)","kid":"KEYKEYKEY1"}"#)
            #expect(Self.evidence(try other.token(iat: "1")) == .malformed)
        }
    }

    @Test(arguments: ["-1", "1e300", #""soon""#, "null", "true", "[]"]) func badIssuedAt(iat: String) throws {
        #expect(Self.evidence(try TokenMaker(key: Self.key).token(iat: iat)) == .malformed)
    }

    @Test func missing() {
        #expect(Self.reader.evidence(authorization: nil) == .missing)
        #expect(Self.reader.evidence(authorization: "") == .missing)
        #expect(Self.reader.evidence(authorization: "bearer ") == .missing)
    }

    @Test(arguments: ["basic a.b.c", "bearer a.b", "bearer a.b.c.d", "bearer a.b.c d", "bearer ..", "bearer ü.ü.ü"])
    func malformed(authorization: String) {
        #expect(Self.reader.evidence(authorization: authorization) == .malformed)
    }

    /// Goal: no token ends the gateway; Foundation's decoder would crash at 513 brackets.
    @Test(arguments: [64, 512, 513, 514]) func aTokenOfNothingButBracketsIsMalformed(_ depth: Int) {
        let segment = Data(repeating: UInt8(ascii: "["), count: depth).base64EncodedString()
        #expect(Self.evidence("\(segment).\(segment).AAAA") == .malformed)
    }

    @Test func tooLongIsNotLookedAt() throws {
        let token = try TokenMaker(key: Self.key).token(iat: "1")
        let padding = String(repeating: " ", count: ProviderTokenReader.bytesMax)
        #expect(Self.reader.evidence(authorization: "bearer \(padding)\(token)") == .malformed)
    }

    @Test func anotherKeyIsUnknownOrDoesNotVerify() throws {
        let other = TokenMaker(key: Self.key, header: #"{"alg":"ES256","kid":"OTHERKEY00"}"#)
        #expect(Self.evidence(try other.token(iat: "1")) == .unknownKey)
        #expect(Self.evidence(try TokenMaker(key: Self.key, team: "OTHERTEAM0").token(iat: "1")) == .unknownKey)
        let forged = TokenMaker(key: P256.Signing.PrivateKey())
        #expect(Self.evidence(try forged.token(iat: "1")) == .badSignature)
    }

    @Test func changedClaimsDoNotVerify() throws {
        let parts = try TokenMaker(key: Self.key).token(iat: "1").split(separator: ".")
        let claims = try TokenMaker(key: Self.key).token(iat: "2").split(separator: ".")[1]
        #expect(Self.evidence("\(parts[0]).\(claims).\(parts[2])") == .badSignature)
    }
}
