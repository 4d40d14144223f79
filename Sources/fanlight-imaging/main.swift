// SPDX-License-Identifier: Apache-2.0

import FanlightCodecs
import Glibc

guard HelperConfinement.closeInherited() else { exit(70) }
// Decoders may print; the answers get a descriptor of their own.
let answers = dup(1)
guard answers >= 0, dup2(2, 1) >= 0, let pipeline = PixelPipeline(), HelperConfinement.confine(headroom: 1 << 30)
else { exit(70) }
ImagingHelper(pipeline: pipeline, answers: answers).run()
