// SPDX-License-Identifier: Apache-2.0

import FanlightGateway
import Glibc

/// The program: finds the command and turns its outcome into an exit status.
@main
enum Fanlight {
    static func main() async {
        CrashReports.silence()
        let arguments = Array(CommandLine.arguments.dropFirst())
        Console.holdStandardStreams()
        do {
            try await run(arguments)
            try Console.requireOutput()
        } catch let error as UsageError {
            Console.error("fanlight: \(error.message)\nTry: fanlight help")
            exit(2)
        } catch let error as Problem {
            Console.error("fanlight: \(error.detail)")
            exit(1)
        } catch let error as CommandFailure {
            Console.error("fanlight: \(error.message)")
            exit(1)
        } catch {
            Console.error("fanlight: \(error)")
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) async throws {
        let rest = Array(arguments.dropFirst())
        if let name = arguments.first, rest.contains("--help") || rest == ["-h"], name != "help" {
            return try HelpCommand.run([name])
        }
        switch arguments.first {
        case "serve": try ServeCommand.run(rest)
        case "check": try CheckCommand.run(rest)
        case "send": try await SendCommand.run(rest)
        case "services": try ServicesCommand.run(rest)
        case "health": try await HealthCommand.run(rest)
        case "key": try KeyCommand.run(rest)
        case "sandbox": try await SandboxCommand.run(rest)
        case "test": try TestCommand.run(rest)
        case "explain": try await ExplainCommand.run(rest)
        case "import": try ImportCommand.run(rest)
        case "schema": try SchemaCommand.run(rest)
        case "docs": try DocsCommand.run(rest)
        case "version", "--version": try HelpCommand.tellVersion(rest)
        case "help", "--help", "-h": try HelpCommand.run(rest)
        case nil: throw UsageError("name a command")
        case .some(let other): throw UsageError("there is no command \(other)")
        }
    }
}
