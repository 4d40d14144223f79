// SPDX-License-Identifier: Apache-2.0

import FanlightCore

extension CompiledService {
    /// Where deliveries go: adapter, hosts, folder, and the settings that are no secrets, defaults of options included.
    ///
    /// Two configurations of a service that differ here hold different pictures.
    public var destination: [String] {
        let hosts = steps.flatMap(\.request.declared).map { "\($0.name):\($0.port.map(String.init) ?? "")" }
        let given = settings.map { ($0.key, $0.value.shown ?? "") } + options.map { ($0.name, $0.defaultValue ?? "") }
        let values = given.compactMap { (name, text) in
            secrets.contains(where: text.contains) ? nil : name + "=" + text
        }
        return [adapterName, localFolder ?? ""] + hosts + values.sorted()
    }
}
