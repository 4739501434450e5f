#!/usr/bin/env node
// The `salt-cloud` program: machines of providers, made and destroyed.
import { saltCloud } from './cloud/main.ts'
import { processStreams } from './streams.ts'

saltCloud(process.argv.slice(2), processStreams).then((status) => {
  process.exitCode = status
})
