// The web console with many minions in a real Chromium: a job of 10,000 minions with 100 states, and the list of the minions.
// Measured are the first paint of the results after the page was asked for, the longest task while they are scrolled through, and the
// memory of the page. The first look at a job makes the API read all returns; the second one has them at hand. Also jobs
// of a swarm of simulated minions that grow while a page shows them: frames, and the time until all returns are shown.
//   npm run -s bench -- console [--only stored|swarm] [--minions 10000] [--states 100] [--repeat 1] [--chromium /usr/bin/chromium]
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { freePort } from '../test/free-port.ts'
import { builtProgram } from './bench-master.ts'
import { JID, minionIds, writeJob, writeKeys } from './console-store.ts'
import { benchSwarm } from './console-swarm.ts'
import { printLooks } from './console-table.ts'
import { type Look, Visit } from './console-visit.ts'
import { NoPeerError } from './peer.ts'
import type { Bench } from './run.ts'

const START_S = 120

/** A master with its API, over folders that were filled before. */
class ConsoleMaster {
  readonly directory = mkdtempSync(join(tmpdir(), 'brine-bench-'))
  private child: ChildProcess | undefined
  private port = 0

  path(...parts: string[]): string {
    return join(this.directory, ...parts)
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  async start(root: string): Promise<void> {
    this.port = await freePort()
    mkdirSync(this.path('etc'), { recursive: true })
    const options = {
      root_dir: this.directory,
      pki_dir: this.path('pki'),
      cachedir: this.path('cache'),
      sock_dir: this.path('sock'),
      log_file: this.path('master.log'),
      log_level: 'error',
      interface: '127.0.0.1',
      ret_port: await freePort(),
      publish_port: await freePort(),
      keep_jobs_seconds: 1_000_000_000,
      external_auth: { auto: { bench: ['.*', '@runner', '@wheel', '@jobs'] } },
      netapi_enable_clients: ['local', 'local_async', 'runner', 'wheel'],
      rest_cherrypy: { host: '127.0.0.1', port: this.port, disable_ssl: true },
      api_request_rate: 0,
    }
    writeFileSync(this.path('etc', 'master'), JSON.stringify(options))
    const output = openSync(this.path('out'), 'a')
    const program = builtProgram(root, 'salt-master')
    this.child = spawn(process.execPath, [program, '-c', this.path('etc')], { stdio: ['ignore', output, output] })
    for (let tries = 0; !(await this.answers()); tries++) {
      if (tries > START_S * 5) throw new Error(`The master does not answer:\n${readFileSync(this.path('out'), 'utf8')}`)
      await sleep(200)
    }
  }

  private answers(): Promise<boolean> {
    return fetch(`${this.url}/console/`).then(
      ({ ok }) => ok,
      () => false,
    )
  }

  async stop(): Promise<void> {
    const { child } = this
    if (child && child.exitCode === null) {
      const ended = new Promise((done) => child.once('exit', done))
      child.kill()
      await ended
    }
    rmSync(this.directory, { recursive: true, force: true })
  }
}

interface Settings {
  root: string
  minions: number
  states: number
  chromium: string
}

async function* looks(visit: Visit, minions: number): AsyncGenerator<Look> {
  const job = `#/jobs/${JID}?rows=minions`
  const whole = `.matrix-box[aria-label*="${minions} rows"]`
  yield await visit.look('job, first look', job, '.matrix canvas', '.matrix-box', whole)
  yield await visit.look('job, second look', job, '.matrix canvas', '.matrix-box', whole)
  yield await visit.look('job, its minions', `#/jobs/${JID}?tab=minions`, '.table .rows [role=row]', '.table')
  yield await visit.look('minions', '#/minions', '.table .rows [role=row]', '.table')
}

async function benchStored({ root, minions, states, chromium }: Settings): Promise<boolean> {
  const master = new ConsoleMaster()
  let visit: Visit | undefined
  try {
    const ids = minionIds(minions)
    writeKeys(master.path('pki'), ids)
    await writeJob(master.path('cache'), ids, states)
    await master.start(root)
    visit = await Visit.begin(chromium, master.url)
    return await printLooks(looks(visit, ids.length))
  } finally {
    await visit?.close()
    await master.stop()
  }
}

const consoleBench: Bench = async ({ root, args }) => {
  const { values } = parseArgs({
    args,
    options: {
      minions: { type: 'string', default: '10000' },
      states: { type: 'string', default: '100' },
      repeat: { type: 'string', default: '1' },
      only: { type: 'string' },
      chromium: { type: 'string', default: process.env['CHROMIUM'] ?? '/usr/bin/chromium' },
    },
  })
  const { chromium, only } = values
  if (!existsSync(chromium)) throw new NoPeerError(`There is no Chromium at ${chromium}: name it with CHROMIUM`)
  const [minions, states, repeat] = [values.minions, values.states, values.repeat].map(Number) as [
    number,
    number,
    number,
  ]
  const settings = { root, minions, states, chromium }
  const isGood = only === 'swarm' || (await benchStored(settings))
  if (only === 'stored') return isGood
  return (await benchSwarm({ ...settings, repeat })) && isGood
}

export default consoleBench satisfies Bench
