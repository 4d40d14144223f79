// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightGateway

extension LoadedConfiguration {
    /// What the gateway is told; `url` is where it can be reached when nothing else is configured.
    func settings(url: String) -> GatewaySettings {
        let server = configuration.server
        let image = configuration.image
        var settings = GatewaySettings()
        settings.sessions = server.state + "/sessions"
        settings.maxBody = server.maxBody
        settings.answerWithin = server.answerWithin
        settings.clientKeys = server.clientKeys.map(ClientKey.init)
        settings.addressRate = server.addressRate
        settings.trustedProxies = server.trustedProxies
        settings.clientAddress = server.clientAddress
        settings.cors = server.cors
        settings.maxSpool = server.maxSpool
        settings.constraints = image.constraints
        settings.imageLimits = image.limits
        settings.givesHash = image.givesHash
        settings.geotag = configuration.geotag
        settings.trace = server.trace
        settings.publicURL = server.publicURL ?? url
        settings.routes = configuration.routes
        settings.notify = configuration.notify.map { notify in
            var settings = NotifySettings(url: notify.url, secret: notify.secret)
            settings.attempts = notify.attempts
            return settings
        }
        return settings
    }
}
