#!/usr/bin/env node
// The `salt-proxy` program.
import { saltProxy } from './daemons/proxy.ts'
import { processStreams } from './streams.ts'

saltProxy(process.argv.slice(2), processStreams).then((status) => {
  // exit although work may be pending, such as for a master that does not answer; it was closed
  process.exit(status)
})
