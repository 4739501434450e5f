// Brings the site up: builds its programs where no later build disturbs them, starts what does not run, and waits until
// every minion has answered the master.
import { existsSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { BusClient } from '../../src/bus/mod.ts'
import { build } from '../build.ts'
import { assertFreePorts, DAEMONS, running, start } from './daemons.ts'
import { logOf, MASTER, programsOf, type Site, socketsOf, writeSite } from './site.ts'

const START_SECONDS = 180

export interface Opened {
  /** Daemons that ran already. */
  already: readonly string[]
  /** The events of the master. */
  events: BusClient
}

export async function openSite(
  site: Site,
  buildPrograms: (root: string, outdir: string) => Promise<void> = build,
): Promise<Opened> {
  const already = DAEMONS.filter((name) => running(site, name) !== undefined)
  if (already.length === 0) {
    await assertFreePorts(site)
    writeSite(site)
    await buildPrograms(site.root, programsOf(site))
  }
  if (!already.includes(MASTER)) start(site, MASTER)
  const events = await reachBus(site)
  await reachPort(site)
  const minions = DAEMONS.filter((name) => name !== MASTER && !already.includes(name))
  for (const name of minions) start(site, name)
  await awaitMinions(site, events, minions)
  return { already, events }
}

async function reachBus(site: Site): Promise<BusClient> {
  const pub = `${socketsOf(site)}/master_event_pub.ipc`
  const end = performance.now() + START_SECONDS * 1000
  for (;;) {
    if (existsSync(pub)) {
      try {
        return await BusClient.open({ paths: { pub, pull: '' } })
      } catch (error) {
        if (performance.now() > end) throw error
      }
    }
    assertAlive(site, MASTER, performance.now() > end)
    await sleep(50)
  }
}

/** Wait until the master takes requests, so that no minion has to try twice. */
async function reachPort(site: Site): Promise<void> {
  const end = performance.now() + START_SECONDS * 1000
  while (!(await accepts(site.returnPort))) {
    assertAlive(site, MASTER, performance.now() > end)
    await sleep(50)
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      done(true)
    })
    socket.once('error', () => done(false))
  })
}

async function awaitMinions(site: Site, events: BusClient, minions: readonly string[]): Promise<void> {
  const missing = new Set(minions)
  const end = performance.now() + START_SECONDS * 1000
  while (missing.size > 0) {
    const event = await events.next(0.5)
    if (event) missing.delete(/^salt\/minion\/(.+)\/start$/.exec(event.tag)?.[1] ?? '')
    for (const name of missing) assertAlive(site, name, performance.now() > end)
  }
}

function assertAlive(site: Site, name: string, isLate: boolean): void {
  if (!isLate && running(site, name) !== undefined) return
  const why = isLate ? `did not come up within ${START_SECONDS} s` : 'ended at once'
  throw new Error(`${name} ${why}. Its log, ${logOf(site, name)}:\n${readFileSync(logOf(site, name), 'utf8')}`)
}
