#!/usr/bin/env node
// The `salt-minion` program.
import { saltMinion } from './daemons/minion.ts'
import { processStreams } from './streams.ts'

saltMinion(process.argv.slice(2), processStreams).then((status) => {
  // exit although work may be pending, such as for a master that does not answer; it was closed
  process.exit(status)
})
