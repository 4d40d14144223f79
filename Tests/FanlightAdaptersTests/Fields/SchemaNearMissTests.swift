// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightConfiguration
import FanlightCore
import Testing

/// Whole files, right ones and nearly right ones: the program and the schema must say the same of each.
@Suite struct SchemaNearMissTests {
    private static let catalogue: Catalogue = {
        var catalogue = Catalogue()
        for name in ["generic", "local", "imgur", "s3"] {
            if let node = Catalogue.standard[name] { catalogue.add(name, node) }
        }
        return catalogue
    }()
    private static let schema: SchemaValidator = {
        var writer = AdapterSchema.writer(catalogue)
        return SchemaValidator(root: ConfigurationFields.schema(&writer))
    }()

    /// What the program finds in a file, without its warnings.
    private static func mistakes(_ root: Node) -> [String] {
        var found: [Diagnostic] = []
        let references = References(variable: { _ in "put" }, file: { _ in nil })
        let configuration = GatewayConfiguration.decode(root, references: references, diagnostics: &found)
        var catalogue = Self.catalogue
        for adapter in configuration?.adapters ?? [] { catalogue.add(adapter.name, adapter.node) }
        let compiler = ServiceCompiler(catalogue: catalogue, environment: { _ in "put" }, readFile: { _ in nil })
        for service in configuration?.services ?? [] {
            _ = compiler.compile(name: service.name, node: service.node, diagnostics: &found)
        }
        for adapter in configuration?.adapters ?? [] {
            compiler.check(adapter: adapter.name, beside: "test.yaml", diagnostics: &found)
        }
        return found.filter { $0.severity == .error }.map(\.description)
    }

    private static func compare(_ text: String, isRight: Bool, lax: Bool = false) throws {
        let root = try #require(YAMLReader.read(Array(text.utf8), file: "test.yaml").root)
        let mistakes = mistakes(root)
        let findings = schema.findings(JSONValue(root))
        #expect(mistakes.isEmpty == isRight, "the program: \(mistakes)")
        #expect(findings.isEmpty == (isRight || lax), "the schema: \(findings)")
    }

    /// Keys of a service beside its URL.
    private static func service(_ keys: String) -> String {
        """
        services:
          a:
            url: https://a.example/
            link: $.url
            \(keys)
        """
    }

    @Test(arguments: [
        "method: put", "method: Post", "method: PATCH", "method: ${env:METHOD:-put}", "format: jpg", "format: jpeg",
        "limits: {rate: 10/1h30m}", "limits: {rate: 500/15m, bytes: 5 mib, pixels: 1.5mp, edge: 2048}",
        "limits: {formats: [jpg, tif, heif]}", "limits: {formats: jpeg}",
        "limits: {text: {title: 500, message: 300 graphemes, alt: 10 chars}}", "limits: {text: {title: '80'}}",
        "auth: none", "auth: {type: none}", "auth: {type: bearer, token: x}",
        "auth: {type: basic, username: u, password: '0755'}", "auth: ~", "file: ~", "deadline: 1m30s", "deadline: 0",
        "retry: {attempts: 20}", "idempotent: true", "enabled: false", "enabled: auto", "background: '#aBcDeF'",
        "color: srgb", "hosts: [b.example, '*.c.example']", "hosts: b.example", "timeouts: {connect: 500ms}",
        "error: {kinds: {401: auth, '~quota': quota}}", "retry_after: {from: header X-Reset, unit: unix}",
        "redirects: same_origin", "breaker: {failures: 0, when_open: wait}", "visibility: public",
        "settings: {k: {type: int, default: 5}}",
        "settings: {k: {type: ~, description: ~, values: ~}}", "error: {kinds: ~}",
        "auth: {type: signed_params, secret: s, escape: {'&': and}}", "options: {o: {values: [a, b], default: a}}",
        "ok: {any: $.ok}", "ok: {all: [$.ok, {any: [status == 200, {all: text}]}]}",
        "options: {o: {type: int, values: [1, 2]}}",
        "raw: file",
        "raw: [{text: a}, file]", "json: {a: [1, '${file|base64}']}", "metadata: keep", "quality: 1",
    ])
    func aRightServiceIsRightForBoth(_ keys: String) throws {
        try Self.compare(Self.service(keys), isRight: true)
    }

    @Test(arguments: [
        "method: putt", "method: ''", "method: [PUT]", "methods: PUT", "format: bmp", "format: tiff", "format: JPEG",
        "limits: {rate: 10}", "limits: {rate: 10/fortnight}", "limits: {rate: -1/s}", "limits: {rate: 10/0s}",
        "limits: {bytes: 5}", "limits: {bytes: -5MB}", "limits: {bytes: 5MBit}", "limits: {bytes: ''}",
        "limits: {pixels: -1}", "limits: {edge: 0}", "limits: {edge: '0'}", "limits: {edge: 1.5}",
        "limits: {formats: [jpegs]}", "limits: {text: {title: 0}}", "limits: {text: {title: many}}",
        "limits: {text: {title: 5 letters}}", "limits: {text: {titel: 5}}", "limits: [5MB]", "auth: bearer",
        "auth: {type: bearer, tokn: x}", "auth: {type: oauth, token: x}", "deadline: 30", "deadline: 1m1h",
        "deadline: -1s", "deadline: ''", "retry: {attempts: 21}", "retry: {attempts: many}", "retry: 4",
        "idempotent: yes", "enabled: maybe", "enabled: yes", "background: pink", "background: '#abc'", "color: sRGB",
        "timeouts: {conect: 10s}", "timeouts: {connect: 10}", "error: {kinds: {401: author}}",
        "retry_after: {from: header X-Reset, unit: fortnights}", "redirects: follow", "breaker: {failures: -1}",
        "breaker: {when_open: hold}", "settings: {k: {type: number}}", "options: {o: {kind: int}}", "raw: picture",
        "settings: {k: {type: [int]}}", "settings: {k: {type: {}}}", "settings: {k: {description: [a]}}",
        "settings: {k: {values: a}}", "options: {o: {values: {a: b}}}", "options: {o: {values: [[a]]}}",
        "options: {o: {type: [int]}}", "options: {o: {description: {}}}", "error: {kinds: quota}",
        "error: {kinds: [quota]}", "error: {kinds: []}", "ok: {some: [$.ok]}",
        "settings: {k: {type: number, values: [a]}}",
        "options: {o: {type: whole, values: [a]}}", "auth: {type: signed_params, secret: s, escape: a}",
        "metadata: none", "quality: 0", "adapter: [x]", "adapter: {x: y}", "description: [x]", "checked: {a: b}",
        "tier: [1]", "steps: [{id: [a], url: https://a.example/}]", "steps: [{id: {a: b}, url: https://a.example/}]",
        "auth: {type: [bearer], token: x}", "auth: {type: {}, token: x}", "auth: [bearer]",
        "auth: {type: signed_params, secret: s, joiner: [a]}", "auth: {type: signed_params, secret: s, separator: {}}",
        "auth: {type: signed_params, secret: s, into: [a]}", "auth: {type: header, name: [a], value: x}",
        "method: {PUT: x}", "redirects: [refuse]", "enabled: [true]", "metadata: [strip]", "raw: ['text', file]",
        "error: {kinds: {401: [auth]}}", "delete: {url: https://a.example/, method: [DELETE]}", "hosts: {a: b}",
        "hosts: [[a.example]]", "limits: {formats: {jpeg: x}}", "duplicates: [send]", "breaker: {when_open: [fail]}",
        "retry_after: {from: header X-Reset, unit: [unix]}", "headers: {A: {b: c}}", "file: {field: [a]}",
        "quality: high", "rotate: never", "unknown: 1",
    ])
    func aMistakeInAServiceIsOneForBoth(_ keys: String) throws {
        try Self.compare(Self.service(keys), isRight: false)
    }

    @Test(arguments: [
        "services: {a: {adapter: local, folder: ./album}}\nroutes: {r: {services: a, policy: 'quorum:1'}}",
        "services: {a: {adapter: local, folder: ./album}}\nroutes: {r: {policy: {quorum: 1}}, s: a, t: [a]}",
        "services: {a: {adapter: local, folder: ./album}}\nserver: {listen: '[::1]:0', public_url: 'https://h/x/'}",
        "services: {a: {adapter: local, folder: ./album}}\nserver: {state_key: 'ääääääää', min_free: 0}",
        "services: {a: {adapter: local, folder: ./album}}\nserver: {client_keys: [a-key-of-some-length]}",
        "adapters:\n  x:\n    settings: {consumer_key: {}, consumer_secret: {}}\n    auth: oauth1\n"
            + "    url: https://x.example/\n    file: f\n    link: $.url\n"
            + "services: {a: {adapter: x, consumer_key: k, consumer_secret: s}}",
    ])
    func aRightFileIsRightForBoth(_ text: String) throws { try Self.compare(text, isRight: true) }

    @Test(arguments: [
        "services: {a b: {adapter: local, folder: ./album}}",
        "adapters: {ä: {url: 'https://a.example/', file: f, link: $.url}}",
        "services: {a: {adapter: local, folder: x}}\nroutes: {r: {policy: most}}",
        "services: {a: {adapter: local, folder: x}}\nroutes: {r: {policy: quorum 0}}",
        "services: {a: {adapter: local, folder: x}}\nroutes: {r!: a}",
        "services: {a: {adapter: local, folder: x}}\nserver: {listen: 8080}",
        "services: {a: {adapter: local, folder: x}}\nserver: {listen: 'a:65536'}",
        "services: {a: {adapter: local, folder: x}}\nserver: {public_url: a.example}",
        "services: {a: {adapter: local, folder: x}}\nserver: {public_url: 'https://a.example/?a=b'}",
        "services: {a: {adapter: local, folder: x}}\nserver: {state_key: short}",
        "services: {a: {adapter: local, folder: x}}\nserver: {state: ''}",
        "services: {a: {adapter: local, folder: x}}\nserver: {drain: 30}",
        "services: {a: {adapter: local, folder: x}}\nimage: {max_edge: -1}",
        "services: {a: {adapter: local, folder: x}}\nnotify: {url: 'https://a.example/'}",
    ])
    func aMistakeInAFileIsOneForBoth(_ text: String) throws { try Self.compare(text, isRight: false) }

    /// What needs more than a look at one value stays with the program.
    @Test(arguments: [
        "services: {a: {adapter: local, folder: x}}\nroutes: {r: [b]}",
        "services: {a: {adapter: local, folder: x}}\nimage: {cpu: 10ms}",
        "services: {a: {url: 'https://a.example/', link: $.url, file: f, fields: {a: '${settings.x}'}}}",
        "services: {a: {adapter: lokal, folder: x}}",
        "services: {a: {url: 'https://a.example/', link: $.url, ok: {any: ~}}}",
        "services: {a: {url: 'https://a.example/', link: $.url, ok: {all: []}}}",
        "services: {a: {url: 'https://a.example/', link: $.url, ok: {any: [$.ok], all: [$.id]}}}",
    ])
    func someMistakesOnlyTheProgramFinds(_ text: String) throws { try Self.compare(text, isRight: false, lax: true) }
}
