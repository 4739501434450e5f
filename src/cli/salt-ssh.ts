#!/usr/bin/env node
// The `salt-ssh` program: functions on machines that are reached by SSH.
import { saltSsh } from './ssh/main.ts'
import { processStreams } from './streams.ts'

saltSsh(process.argv.slice(2), processStreams).then((status) => {
  process.exitCode = status
})
