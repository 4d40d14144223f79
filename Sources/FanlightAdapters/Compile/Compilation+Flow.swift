// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore

/// What happens during a delivery, in compiled form.
struct Flow {
    var steps: [StepProgram] = []
    var store: StoreProgram?
    var result = ResultProgram()
    var session: SessionProgram?
    var delete: StepProgram?
    var discovery: DiscoveryProgram?
}

extension Compilation {
    /// Compiles requests, replies and results of a service.
    func flow(_ node: Node) -> Flow {
        var flow = Flow()
        declare(node)
        var authorization = Authorization.none
        if let session = session(node["auth"], service: node) {
            flow.session = session.program
            authorization = session.use
        } else if let auth = node["auth"], !auth.isNull {
            authorization = secretly { self.authorization(auth) }
        }
        flow.steps = steps(node, authorization: authorization)
        flow.store = store(node["store"])
        if flow.store != nil { names.captures.insert("stored_name") }
        flow.result = result(node)
        flow.delete = delete(node["delete"], node, authorization)
        flow.discovery = discovery(node["discover"], node, authorization)
        return flow
    }

    /// Reads `base` and the hosts that credentials may go to.
    private func declare(_ node: Node) {
        base = node["base"].flatMap { $0.isNull ? nil : address($0) }
        var places: [(Choice, Node)] = []
        if let base, let found = node["base"] { places.append((base, found)) }
        let isPlain = node["base"].map(\.isNull) ?? true
        let firstStep = node["steps"]?.items.first
        if let url = node["url"] ?? (isPlain ? firstStep?["url"] : nil), !url.isNull,
            !(url.text?.hasPrefix("/") ?? false)
        {
            // Mistakes in it are reported where the request is compiled.
            let before = (diagnostics, unset, names)
            names.captures = Set(["\u{0}"])
            if let choice = address(url) { places.append((choice, url)) }
            (diagnostics, unset, names) = before
        }
        let before = diagnostics
        let found = places.flatMap { destinations(of: $0.0, $0.1) }
        let isBase = base != nil
        diagnostics = isBase ? diagnostics : before
        declared = found.compactMap(\.address).map { HostPattern($0) }
        declared += hosts(node["hosts"]) + hosts(node["auth"]?["hosts"])
    }

    /// Compiles a URL, of which not everything is secret.
    func address(_ node: Node) -> Choice? { asAddress { choice(node) } }

    private func store(_ node: Node?) -> StoreProgram? {
        guard let node, !node.isNull else { return nil }
        guard checkKeys(of: node, AdapterFields.store) else { return nil }
        guard let folderNode = node["folder"], !folderNode.isNull, let nameNode = node["name"], !nameNode.isNull else {
            error(node, "store needs 'folder' and 'name'")
            return nil
        }
        let templates = (template(folderNode), template(nameNode))
        guard let folder = templates.0, let name = templates.1 else { return nil }
        for variable in folder.variables {
            if case .setting = variable { continue }
            error(node, "the folder may come from settings only")
        }
        return StoreProgram(folder: folder, name: name)
    }

    /// Credentials are those of the upload unless the deletion has its own.
    private func delete(_ node: Node?, _ service: Node, _ authorization: Authorization) -> StepProgram? {
        guard let node, !node.isNull, !staysBehind(node, service) else { return nil }
        guard checkKeys(of: node, AdapterFields.delete) else { return nil }
        let defaults = RequestDefaults(
            headers: service["headers"].flatMap { service["steps"] == nil ? nil : $0 },
            authorization: authorization,
            name: "the deletion"
        )
        guard let request = request(node, defaults) else {
            error(node, "delete needs 'url'")
            return nil
        }
        // A deletion that is repeated finds nothing left to delete.
        var step = StepProgram(id: "delete", isIdempotent: true, request: request)
        step.reply.ok = predicate(node["ok"])
        step.reply.error = errorRules([node["error"], service["error"]].compactMap { $0 }.first { !$0.isNull })
        if let rule = waiting(service["retry_after"], in: "retry_after") { step.reply.waits.append(rule) }
        return step
    }

    /// True where a service was moved to another site than its entry's, but the deletion still names the entry's.
    ///
    /// What the one site gave says nothing to the other, and the credentials are not for it. Whoever moves a service may
    /// move its deletion, too.
    private func staysBehind(_ deletion: Node, _ service: Node) -> Bool {
        guard let url = deletion["url"], !url.isNull, let own = service["base"] ?? service["url"],
            own.position.file != url.position.file, !declared.isEmpty
        else { return false }
        let before = (diagnostics, unset, names)
        defer { (diagnostics, unset, names) = before }
        let places = choice(url).map { destinations(of: $0, url) } ?? []
        return places.compactMap(\.address).contains { address in !declared.contains { $0.matches(address) } }
    }

    private func discovery(_ node: Node?, _ service: Node, _ authorization: Authorization) -> DiscoveryProgram? {
        guard let node, !node.isNull else { return nil }
        guard checkKeys(of: node, AdapterFields.discover) else { return nil }
        names.captures = []
        names.steps = []
        let defaults = RequestDefaults(
            headers: service["headers"].flatMap { service["steps"] == nil ? nil : $0 },
            authorization: authorization,
            method: "GET",
            name: "the question for limits"
        )
        guard let request = request(node, defaults), let limits = node["limits"] else {
            error(node, "discover needs 'url' and 'limits'")
            return nil
        }
        checkKeys(of: limits, AdapterFields.discovered)
        let cache = read(node["cache"], ValueReader.duration) ?? .seconds(86_400)
        var discovery = DiscoveryProgram(request: request, cache: cache)
        discovery.bytes = sources(limits["bytes"])
        discovery.edge = sources(limits["edge"])
        discovery.pixels = sources(limits["pixels"])
        discovery.frames = sources(limits["frames"])
        discovery.types = sources(limits["mime"])
        return discovery
    }

    /// An entry that others share holds no credentials: they come from settings.
    func checkNoSecrets(in entry: Node, _ name: String) {
        for member in entry["auth"]?.entries ?? [] where Self.isCredential(member.key) {
            guard let text = member.value.text, !text.isEmpty, !text.contains("${") else { continue }
            error(
                member.value,
                "a credential stands in the adapter '\(name)'; declare a setting and write ${setting.…}"
            )
        }
        for setting in entry["settings"]?.entries ?? [] where setting.value["secret"]?.text == "true" {
            guard let given = setting.value["default"], let text = given.text, !text.isEmpty else { continue }
            error(given, "the secret setting '\(setting.key)' of the adapter '\(name)' has a default")
        }
    }

    private static func isCredential(_ key: String) -> Bool {
        [
            "password", "token", "secret", "secret_key", "key", "consumer_secret", "token_secret", "client_secret",
            "refresh_token", "access_key", "value",
        ].contains(key)
    }
}
