#!/usr/bin/env node
// The `salt-master` program. The master itself starts it once more where it needs a further process: for subscribers, to make
// pillar, or to match targets of others.
import { PURPOSE_VARIABLE } from '../base/mod.ts'
import { saltMaster } from './daemons/master.ts'
import { processStreams } from './streams.ts'

const PROCESSES: ReadonlyMap<string, () => Promise<void>> = new Map([
  ['publisher', () => import('../wire/mod.ts').then(({ servePublisher }) => servePublisher())],
  ['pillar', () => import('../master/mod.ts').then(({ servePillars }) => servePillars())],
  ['targets', () => import('../master/mod.ts').then(({ serveTargets }) => serveTargets())],
])

const wanted = process.send && PROCESSES.get(process.env[PURPOSE_VARIABLE] ?? '')
if (wanted) void wanted()
else
  saltMaster(process.argv.slice(2), processStreams).then((status) => {
    // everything was closed: a connection that a library still tries to make must not keep the process
    process.exit(status)
  })
