#!/usr/bin/env node
// The `salt-cp` program: files to many minions.
import { saltCp } from './cp/main.ts'
import { processStreams } from './streams.ts'

saltCp(process.argv.slice(2), processStreams).then((status) => {
  process.exitCode = status
})
