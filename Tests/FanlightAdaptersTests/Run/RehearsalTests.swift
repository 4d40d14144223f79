// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightCore
import Testing

@Suite struct RehearsalTests {
    private static let yaml = """
        team:
          base: https://chat.example.org/api
          settings: {token: {secret: true}}
          token: xoxb-123456
          auth: {type: bearer, token: "${setting.token}"}
          options: {channel: {type: text}}
          steps:
            - {id: ticket, url: /ticket, form: {length: "${file.size}"}, save: {target: $.url, file_id: $.id}}
            - {id: bytes, url: "${target}", allow_hosts: ["*.example.org"], auth: none, raw: file}
            - {id: ready, when: bytes.status == 202, method: GET, url: "/f/${file_id}", poll: {until: status == 200}}
            - {id: place, when: lat exists, optional: true, url: /place, form: {lat: "${lat}"}}
            - {id: share, url: /share, json: {file: "${file_id}", to: "${option.channel!}"}}
          page: https://chat.example.org/${file_id}
        """

    private func steps(_ context: DeliveryContext, _ yaml: String = yaml) throws -> [RehearsedStep] {
        let (service, messages) = Fixtures.compile(yaml)
        #expect(messages == [])
        return try #require(service).rehearse(context)
    }

    @Test func everyStepIsShownWithPlaceholders() throws {
        let steps = try self.steps(
            Fixtures.context(
                geotag: Geotag(latitude: 0, longitude: 1, altitude: nil, source: .client),
                options: ["channel": "c"]
            )
        )
        #expect(steps.map(\.id) == ["ticket", "bytes", "ready", "place", "share"])
        #expect(
            steps.map(\.note) == [
                nil, nil, "only when a reply says so; repeated until the service has finished",
                "its failure fails nothing",
                nil,
            ]
        )
        let requests = steps.compactMap { if case .send(let request) = $0.deed { request } else { nil } }
        #expect(
            requests.map(\.url) == [
                "https://chat.example.org/api/ticket", "${target}", "https://chat.example.org/api/f/${file_id}",
                "https://chat.example.org/api/place", "https://chat.example.org/api/share",
            ]
        )
        #expect(!requests[1].headers.contains { $0.name == "Authorization" })
        guard case .bytes(let body) = requests[4].body else {
            Issue.record("no JSON")
            return
        }
        #expect(String(decoding: body, as: UTF8.self) == #"{"file":"${file_id}","to":"c"}"#)
    }

    @Test func whatIsLeftOutIsNotShownAndWhatIsMissingIsSaid() throws {
        let steps = try self.steps(Fixtures.context())
        #expect(steps.map(\.id) == ["ticket", "bytes", "ready", "share"])
        guard case .fail(let failure)? = steps.last?.deed else {
            Issue.record("not refused")
            return
        }
        #expect(failure.message == "team needs option.channel")
    }

    @Test func loginsComeFirst() throws {
        let yaml = """
            l:
              base: https://l.example.org
              auth: {type: session, login: {url: /in, json: {u: a, p: secret-1}, save: {token: $.t}}, use: "Bearer ${session.token}"}
              url: /up
              file: f
              link: $.url
            """
        let steps = try self.steps(Fixtures.context(), yaml)
        #expect(steps.map(\.note) == ["only when no session is open", nil])
        guard case .send(let request)? = steps.last?.deed else {
            Issue.record("no request")
            return
        }
        #expect(request.headers == [HTTPField("Authorization", "Bearer ${session.token}")])
    }

    @Test func aFolderIsShown() throws {
        let steps = try self.steps(Fixtures.context(), "album: {adapter: local, folder: ./album}")
        guard case .store(let folder, let name)? = steps.first?.deed else {
            Issue.record("no folder")
            return
        }
        #expect(folder == "./album" && name == "upload-1-album.jpg")
    }

    @Test func secretsAreMasked() throws {
        let service = try #require(Fixtures.compile(Self.yaml).service)
        #expect(service.redacted("Bearer xoxb-123456 eG94Yi0xMjM0NTY=", Fixtures.context()) == "Bearer *** ***")
    }
}
