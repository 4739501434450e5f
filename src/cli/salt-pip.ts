#!/usr/bin/env node
// The `salt-pip` program: Python packages for users' modules.
import { saltPip } from './pip/main.ts'
import { processStreams } from './streams.ts'

saltPip(process.argv.slice(2), processStreams).then((status) => {
  process.exitCode = status
})
