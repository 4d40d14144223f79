// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Glibc

// The work of one lane, again and again, for a tool that counts instructions: lane-guard LANE COUNT FOLDER. Lanes:
// passed, passed-5 (to five services), rotated, resized. All in this process: no sockets, no helpers, no disk but the spool.

let arguments = CommandLine.arguments
// What an upload costs shows beside what its bytes cost only where these are few.
let isPassed = arguments.count > 1 && arguments[1].hasPrefix("passed")
guard arguments.count == 4, let count = Int(arguments[2]),
    let picture = GuardPicture(width: isPassed ? 480 : 1_600, height: isPassed ? 360 : 1_200)
else {
    print("lane-guard passed|passed-5|rotated|resized COUNT FOLDER")
    exit(2)
}
switch arguments[1] {
case "passed", "passed-5":
    guard let gateway = GuardGateway(folder: arguments[3], services: arguments[1] == "passed" ? 1 : 5) else { exit(1) }
    let isGood = gateway.uploads(count, of: picture.upright)
    gateway.end()
    exit(isGood ? 0 : 1)
case "rotated":
    exit(picture.make(count, PixelJob(output: .jpeg, turning: .exact)) ? 0 : 1)
case "resized":
    exit(picture.make(count, PixelJob(output: .jpeg, maxWidth: 800, maxHeight: 800, quality: 82)) ? 0 : 1)
default: exit(2)
}
