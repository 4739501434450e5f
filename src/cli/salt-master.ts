#!/usr/bin/env node
// The `salt-master` program. The master itself starts it once more where it needs a further process: for subscribers, or to
// make pillar.
import { PURPOSE_VARIABLE } from '../base/mod.ts'
import { saltMaster } from './daemons/master.ts'
import { processStreams } from './streams.ts'

const PROCESSES: Readonly<Record<string, () => Promise<void>>> = {
  publisher: () => import('../wire/mod.ts').then(({ servePublisher }) => servePublisher()),
  pillar: () => import('../master/mod.ts').then(({ servePillars }) => servePillars()),
}

const wanted = process.send && PROCESSES[process.env[PURPOSE_VARIABLE] ?? '']
if (wanted) void wanted()
else
  saltMaster(process.argv.slice(2), processStreams).then((status) => {
    process.exitCode = status
  })
