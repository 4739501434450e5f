#!/usr/bin/env node
// The `salt-call` program: a function on this machine.
import { saltCall } from './call/main.ts'
import { processStreams } from './streams.ts'

saltCall(process.argv.slice(2), processStreams).then((status) => {
  process.exitCode = status
})
