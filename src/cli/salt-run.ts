#!/usr/bin/env node
// The `salt-run` program: functions of the master.
import { saltRun } from './run/main.ts'
import { processStreams } from './streams.ts'

saltRun(process.argv.slice(2), processStreams).then((status) => {
  process.exitCode = status
})
