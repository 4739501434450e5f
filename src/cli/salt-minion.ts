#!/usr/bin/env node
// The `salt-minion` program.
import { saltMinion } from './daemons/minion.ts'
import { processStreams } from './streams.ts'

saltMinion(process.argv.slice(2), processStreams).then((status) => {
  // whatever is still waited for, such as a master that does not answer, was closed
  process.exit(status)
})
