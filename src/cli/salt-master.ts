#!/usr/bin/env node
// The `salt-master` program. The master itself starts it once more where it needs a second process for subscribers.
import { saltMaster } from './daemons/master.ts'
import { processStreams } from './streams.ts'

if (process.env['BRINE_PUBLISHER'] === '1' && process.send)
  void import('../wire/mod.ts').then(({ servePublisher }) => servePublisher())
else
  saltMaster(process.argv.slice(2), processStreams).then((status) => {
    process.exitCode = status
  })
