// SPDX-License-Identifier: Apache-2.0

import FanlightCodecs
import FanlightCore
import Glibc

// The gateway gives its end of the socket as standard input and output. Decoders may print: standard output becomes
// standard error before any library starts.
guard HelperConfinement.closeInherited(), let limits = HelperLimits(Array(CommandLine.arguments.dropFirst())),
    dup2(2, 1) >= 0, let pipeline = PixelPipeline(),
    HelperConfinement.confine(headroom: limits.memory, largestFile: HelperAnswer.longestFile),
    HelperConfinement.renounce()
else { exit(70) }
ImagingHelper(pipeline: pipeline, socket: MessageSocket(descriptor: 0), limits: limits).run()
