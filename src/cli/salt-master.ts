#!/usr/bin/env node
// The `salt-master` program.
import { saltMaster } from './daemons/master.ts'
import { processStreams } from './streams.ts'

saltMaster(process.argv.slice(2), processStreams).then((status) => {
  process.exitCode = status
})
