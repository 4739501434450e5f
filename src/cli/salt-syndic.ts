#!/usr/bin/env node
// The `salt-syndic` program.
import { saltSyndic } from './daemons/syndic.ts'
import { processStreams } from './streams.ts'

saltSyndic(process.argv.slice(2), processStreams).then((status) => {
  // exit although work may be pending, such as for a master that does not answer; it was closed
  process.exit(status)
})
