// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore

@testable import FanlightAdapters

/// Services whose replies are made up: entries of the catalogue with the settings of their own tests, and three that
/// use what is left of the language.
enum FuzzServices {
    /// A service, and the session of its test.
    struct Entry: Sendable {
        var service: CompiledService
        var context: DeliveryContext
    }

    /// In the order of the first byte of an input; new ones at the end.
    static let all: [Entry] = names.compactMap { entry($0) }

    static let names = [
        "tweetphoto", "imgur", "generic", "catbox", "mastodon", "b2", "dropbox", "bluesky", "mediawiki", "s3_post",
        "webdav_digest", "streamable", "imageshack", "slack", "flickr", "pocketbase", "copyparty", "puush", "words",
        "ticket", "waits",
    ]

    private static func entry(_ name: String) -> Entry? {
        let runner = AdapterTestRunner(catalogue: catalogue)
        var diagnostics: [Diagnostic] = []
        guard let test = catalogue[name]?["tests"]?.items.first,
            let service = runner.service(name, test, &diagnostics)
        else { return nil }
        return Entry(service: service, context: AdapterTestRunner.context(test))
    }

    private static let catalogue: Catalogue = {
        var catalogue = Catalogue.standard
        for entry in YAMLReader.read(Array(own.utf8), file: "fuzz.yaml").root?.entries ?? [] {
            catalogue.add(entry.key, entry.value)
        }
        return catalogue
    }()

    private static let own = #"""
        words:
          settings: {key: {type: text, secret: true}}
          url: https://words.example/up
          headers: {X-Key: "${setting.key}"}
          ok:
            - any: ['status in 200,201', 'text =~ ^OK']
            - line 1 exists
          save:
            name: 'regex stored as (?:.*/)?([^/\s]+)\s+in (\w+)'
            cell: csv 2 line 3
            first: line 1
            kind: header X-Kind
            count: '//item[@n="1"]/text()'
            pair: ['$.a[?(@.k==''v'')].w', '$.a[*].w', "$['x y'][-1]"]
          link: [header Location, 'regex (?i)<a\s[^>]*href="([^"]+)"', 'https://words.example/${name|urlpath}', final_url]
          page: ['/html/body//a/@href', '${cell}']
          thumbnail: '${pair|first}'
          delete_url: //delete
          expires_at: {from: $.expires, unit: seconds}
          visibility: $.visibility
          id: ['${count|int}', '${pair|last|fixed:2}', '${name|base58}', '${cell|truncate:40,utf16|trim}']
          links: {small: $.small, large: '${first}'}
          error: {message: [//error, $.error, 'regex (?s)^\s*([^<>]{1,300}?)\s*$'], code: line 2, kinds: {"~(?i)full": quota, 7: auth}}
          tests: [{name: a, service: {key: words-secret-1}, caption: {title: A title}}]
        ticket:
          settings: {key: {type: text, secret: true}}
          auth: {type: bearer, token: "${setting.key}"}
          steps:
            - id: ticket
              url: https://api.files.example/ticket
              json: {name: "${title}"}
              save: {target: $.target, token: $.token, also: header X-Also}
            - id: put
              url: ${target}
              allow_hosts: ["*.files.example", store.example]
              auth: none
              method: PUT
              raw: file
              headers: {X-Token: "${token}", X-Also: "${also|json_ascii}"}
              retry_when: status in 408,409
              attempts: 3
              restart: {at: ticket, when: status == 412}
              save: {version: header ETag}
            - id: tell
              url: https://api.files.example/done/${version|urlencode}
              query: {ticket: "${token}"}
              form: {version: "${version!}"}
              poll: {pending: $.state == busy, until: $.state == done, fail: $.state == bad, every: 1s, grow: 2, deadline: 20s}
              save: {page: $.page, link: $.link, id: $.id}
          id: ${id}
          delete: {method: DELETE, url: "https://api.files.example/files/${id|urlpath}"}
          tests: [{name: a, service: {key: ticket-secret-1}, caption: {title: A title}}]
        waits:
          settings: {key: {type: text, secret: true}, user: {type: text}}
          auth:
            type: session
            login:
              url: https://waits.example/login
              form: {user: "${setting.user}", key: "${setting.key}"}
              save: {token: [$.token, 'regex token=(\w+)'], life: $.expires_in}
            use: Bearer ${session.token}
            renew_when: status == 401
          url: https://waits.example/up
          file: file
          ok: $.ok == true
          recover:
            - when: $.code == 17
              as: duplicate
              link: $.existing
          error: {message: $.error}
          retry_after: {from: [$.wait, header X-Wait], unit: milliseconds}
          rate_limit: {remaining: header X-Left, reset: {from: header X-Reset, unit: timestamp}}
          link: $.link
          tests: [{name: a, service: {key: waits-secret-1, user: ada}, caption: {title: A title}}]
        """#
}
