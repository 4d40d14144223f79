// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Testing

@testable import FanlightAdapters

/// Signatures against values that their inventors published.
@Suite struct SignatureVectorTests {
    private static func scope(now: Int = 1_700_000_000) -> Scope {
        let context = DeliveryContext.none(now: now)
        return Scope(service: "host", settings: [:], options: [], textLimits: [:], context: context, start: now)
    }

    // MARK: OAuth 1.0a

    @Test("RFC 5849 section 1.2")
    func photosExample() throws {
        let fields = [
            HTTPField("oauth_consumer_key", "dpf43f3p2l4k3l03"), HTTPField("oauth_token", "nnch734d00sl2jdk"),
            HTTPField("oauth_signature_method", "HMAC-SHA1"), HTTPField("oauth_timestamp", "137131202"),
            HTTPField("oauth_nonce", "chapoH"),
        ]
        let url = "http://photos.example.net/photos?file=vacation.jpg&size=original"
        let text = OAuth1.baseString("get", url, fields)
        #expect(Self.oauth.signature(text, key: "kd94hf93k423kf44&pfkkdhi9sl3r4s00") == "MdpQcU8iPSUjWoN/UDMsK2sui9I=")
    }

    @Test("RFC 5849 section 3.4.1.1")
    func baseStringExample() {
        let fields = [
            HTTPField("oauth_consumer_key", "9djdj82h48djs9d2"), HTTPField("oauth_token", "kkk9d7dh3k39sjv7"),
            HTTPField("oauth_signature_method", "HMAC-SHA1"), HTTPField("oauth_timestamp", "137131201"),
            HTTPField("oauth_nonce", "7d8f3e4a"), HTTPField("c2", ""), HTTPField("a3", "2 q"),
        ]
        let url = "http://EXAMPLE.COM:80/request?b5=%3D%253D&a3=a&c%40=&a2=r%20b"
        let expected =
            "POST&http%3A%2F%2Fexample.com%2Frequest&a2%3Dr%2520b%26a3%3D2%2520q%26a3%3Da%26b5%3D%253D%25253D%26c%2540%3D%26"
            + "c2%3D%26oauth_consumer_key%3D9djdj82h48djs9d2%26oauth_nonce%3D7d8f3e4a%26oauth_signature_method%3DHMAC-SHA1"
            + "%26oauth_timestamp%3D137131201%26oauth_token%3Dkkk9d7dh3k39sjv7"
        #expect(OAuth1.baseString("POST", url, fields) == expected)
    }

    private static let oauth = OAuth1(
        consumerKey: .constant("a"),
        consumerSecret: .constant("b"),
        token: .constant("c"),
        tokenSecret: .constant("d")
    )

    @Test func onlyTextFieldsOfAFormAreSignedAndOnlyWhereAsked() throws {
        var draft = RequestDraft(method: "POST", url: "https://up.example.org/")
        let file = SpooledFile(path: "", descriptor: -1, size: 7)
        draft.body = .multipart([
            .init(name: "title", content: .text("x")), .init(name: "photo", content: .file(file, name: "p.jpg")),
        ])
        var plain = draft
        var signing = Self.oauth
        try signing.sign(&plain, in: Self.scope())
        signing.signsTextFields = true
        try signing.sign(&draft, in: Self.scope())
        func signature(_ draft: RequestDraft) -> String? { draft.headers.first?.value }
        #expect(signature(draft) != signature(plain))
        #expect(signature(draft)?.hasPrefix("OAuth oauth_consumer_key=\"a\", oauth_token=\"c\"") ?? false)
    }

    // MARK: Digest

    private static func challenge(_ algorithm: String) throws -> DigestAuthentication.Challenge {
        let header =
            "Basic realm=\"x, y\", Digest realm=\"http-auth@example.org\", qop=\"auth, auth-int\", algorithm=\(algorithm), "
            + "nonce=\"7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v\", opaque=\"FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS\""
        let reply = HTTPReply(
            status: 401,
            headers: [HTTPField("WWW-Authenticate", header)],
            body: [],
            finalURL: "http://www.example.org/dir/index.html"
        )
        return try #require(DigestAuthentication.challenge(in: reply))
    }

    @Test(
        "RFC 7616 section 3.9.1",
        arguments: [
            ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
            ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
        ]
    )
    func digestExample(_ algorithm: String, _ response: String) throws {
        let answer = DigestAuthentication.answer(
            try Self.challenge(algorithm),
            "Mufasa",
            "Circle of Life",
            "GET",
            "/dir/index.html",
            1,
            clientNonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"
        )
        #expect(answer.contains("response=\"\(response)\""))
        #expect(answer.contains("nc=00000001"))
        #expect(answer.contains("realm=\"http-auth@example.org\""))
    }

    @Test func theStrongestChallengeIsAnswered() throws {
        let headers = ["Digest realm=a, nonce=b, algorithm=MD5", "Digest realm=a, nonce=c, algorithm=SHA-256"]
        let reply = HTTPReply(
            status: 401,
            headers: headers.map { HTTPField("www-authenticate", $0) },
            body: [],
            finalURL: ""
        )
        #expect(DigestAuthentication.challenge(in: reply)?.nonce == "c")
        let foreign = HTTPField("WWW-Authenticate", "Digest realm=a, nonce=b, algorithm=SHA-512-256")
        let other = HTTPReply(status: 401, headers: [foreign], body: [], finalURL: "")
        #expect(DigestAuthentication.challenge(in: other) == nil)
    }

    // MARK: Amazon

    private static let aws = AWSSignature(
        service: "s3",
        region: .constant("us-east-1"),
        accessKey: .constant("AKIAIOSFODNN7EXAMPLE"),
        secretKey: .constant("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
    )

    @Test(
        "Amazon S3, examples of signature calculations",
        arguments: [
            (
                "PUT", "/test%24file.text", "Welcome to Amazon S3.",
                ["Date": "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY"],
                "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"
            ),
            ("GET", "/?lifecycle", "", [:], "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
            (
                "GET", "/?max-keys=2&prefix=J", "", [:],
                "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
            ),
            (
                "GET", "/test.txt", "", ["Range": "bytes=0-9"],
                "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
            ),
        ] as [(String, String, String, [String: String], String)]
    )
    func amazonExamples(
        _ method: String,
        _ path: String,
        _ body: String,
        _ headers: [String: String],
        _ signature: String
    ) throws {
        var request = HTTPRequest(
            method: method,
            url: "https://examplebucket.s3.amazonaws.com" + path,
            headers: headers.map { HTTPField($0.key, $0.value) },
            body: body.isEmpty ? .empty : .bytes(Array(body.utf8))
        )
        // 2013-05-24T00:00:00Z
        try Self.aws.sign(&request, in: Self.scope(now: 1_369_353_600))
        let value = try #require(request.headers.last?.value)
        #expect(value.hasSuffix("Signature=" + signature), "\(value)")
        #expect(value.contains("Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request"))
    }

    // MARK: Others

    @Test("Cloudinary, authentication signatures: the documented example")
    func sortedParameters() throws {
        var draft = RequestDraft(method: "POST", url: "https://api.example.org/")
        draft.body = .form([
            HTTPField("timestamp", "1315060510"), HTTPField("public_id", "sample_image"), HTTPField("api_key", "1234"),
            HTTPField("eager", "w_400,h_300,c_pad|w_260,h_200,c_crop"), HTTPField("empty", ""),
        ])
        var signed = SignedParameters(secret: .constant("abcd"))
        signed.excluded = ["api_key"]
        try signed.sign(&draft, in: Self.scope())
        #expect(draft.texts.last == HTTPField("signature", "bfd09f95f331f558cbd1320e67aa8d488770583e"))
    }

    @Test func azureSignsHeadersResourceAndParameters() throws {
        let azure = AzureSharedKey(account: .constant("acct"), key: .constant("a2V5LW9mLWF6dXJl"))
        var request = HTTPRequest(
            method: "PUT",
            url: "https://acct.blob.example.net/box/a.jpg?comp=x",
            headers: [HTTPField("Content-Type", "image/jpeg"), HTTPField("x-ms-blob-type", "BlockBlob")],
            body: .bytes(Array("picture".utf8))
        )
        try azure.sign(&request, in: Self.scope())
        // Recomputed with another HMAC over the text that the documentation describes.
        let expected = "SharedKey acct:P/A4ogID+ean16RhNX/KazKpdpMMxhd+PmGZrmJcHlA="
        #expect(request.headers.last == HTTPField("Authorization", expected))
        #expect(request.headers.contains(HTTPField("x-ms-date", "Tue, 14 Nov 2023 22:13:20 GMT")))
    }
}
