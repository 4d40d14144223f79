// SPDX-License-Identifier: Apache-2.0

import Foundation
import PackagePlugin

/// Embeds every file of a target's folder `Catalogue` in the program.
///
/// The list of files is that of the folder, so that a new service touches no Swift file.
@main
struct EmbedCatalogue: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) async throws -> [Command] {
        let folder = target.directoryURL.appending(path: "Catalogue")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "yaml" }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
        let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedCatalogue.swift")
        return [
            .buildCommand(
                displayName: "Embedding \(files.count) catalogue files",
                executable: try context.tool(named: "embed-catalogue").url,
                arguments: [output.path()] + files.map { $0.path() },
                inputFiles: files,
                outputFiles: [output]
            )
        ]
    }
}
