#!/usr/bin/env node
// The `salt-api` program.
import { saltApi } from './daemons/api.ts'
import { processStreams } from './streams.ts'

saltApi(process.argv.slice(2), processStreams).then((status) => {
  process.exitCode = status
})
