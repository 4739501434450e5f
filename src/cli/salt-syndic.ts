#!/usr/bin/env node
// The `salt-syndic` program.
import { saltSyndic } from './daemons/syndic.ts'
import { processStreams } from './streams.ts'

saltSyndic(process.argv.slice(2), processStreams).then((status) => {
  // whatever is still waited for, such as a master that does not answer, was closed
  process.exit(status)
})
