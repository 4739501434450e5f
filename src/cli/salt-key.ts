#!/usr/bin/env node
// The `salt-key` program: the keys of a master's minions.
import { saltKey } from './key/main.ts'
import { processStreams } from './streams.ts'

saltKey(process.argv.slice(2), processStreams).then((status) => {
  process.exitCode = status
})
