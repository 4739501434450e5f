#!/usr/bin/env node
// The `salt` program: functions on many minions.
import { salt } from './salt/main.ts'
import { processStreams } from './streams.ts'

salt(process.argv.slice(2), processStreams).then((status) => {
  process.exitCode = status
})
