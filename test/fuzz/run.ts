// `npm run fuzz -- --seconds N --seed S [--transport zeromq]`: sends a master what nobody should, on both ports and its
// local sockets, with and without having been let in. It must stay, stay small, do nothing and tell no secret.
import { existsSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import type { NetConnectOpts } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { inspect, parseArgs } from 'node:util'
import { silentLog, toError } from '../../src/base/mod.ts'
import { BusClient } from '../../src/bus/mod.ts'
import type { Value } from '../../src/data/mod.ts'
import {
  ClearClient,
  generateRsaKeys,
  MasterChannel,
  openTransport,
  type RequestClient,
  RsaPrivateKey,
} from '../../src/wire/mod.ts'
import { Chance } from '../faults/chance.ts'
import { type Held, holds } from '../faults/holds.ts'
import { Cluster } from '../live/cluster.ts'
import { PATIENCE_SECONDS, until } from '../until.ts'
import { noise, ownBytes, ownRequest, strange } from './requests.ts'
import { siege } from './siege.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '6' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    transport: { type: 'string', default: 'zeromq,tcp,ws' },
  },
})

/** Stands in files that are not served, in the master's key and in the root key: it must come back from nowhere. */
const CANARY = 'canary-d41b7c5e'
const MOST_GROWTH_MIB = 250

interface Prey {
  cluster: Cluster
  client: RequestClient
  channel: MasterChannel
  /** Ports and sockets for bytes. */
  places: NetConnectOpts[]
}

const HOST = '127.0.0.1'

async function opened(transportName: string): Promise<Prey> {
  const master = { auto_accept: true, transport: transportName, file_recv: true, open_mode: false }
  const setup = {
    master,
    minions: {},
    files: { 'srv/salt/a': 'served\n', 'srv/secret': `${CANARY}\n`, secret: CANARY },
  }
  const cluster = new Cluster({ scenario: 'fuzz', description: '', setup, steps: [], events: [] })
  await cluster.prepare()
  const mask = process.umask(0)
  cluster.start('master')
  process.umask(mask)
  const sockets = ['master_event_pub.ipc', 'master_event_pull.ipc'].map((name) => join(cluster.sockets, name))
  await until('the master listens', async () => sockets.every((path) => existsSync(path)))
  const transport = await openTransport(transportName)
  const endpoint = { host: HOST, port: cluster.requestPort }
  const key = new RsaPrivateKey((await generateRsaKeys(2048)).privatePem)
  const pkiDir = join(cluster.root, 'fuzz')
  mkdirSync(pkiDir)
  const settings = {
    id: 'fuzz',
    key,
    pkiDir,
    acceptanceWaitTime: 0.2,
    authTimeout: 5,
    authTries: 6,
    authSafemode: true,
  }
  const channel = new MasterChannel({ client: transport.connect(endpoint), settings, log: silentLog })
  await channel.authenticate()
  const ports = [cluster.requestPort, cluster.publishPort].map((port) => ({ host: HOST, port }))
  const places = [...ports, ...sockets.map((path) => ({ path }))]
  return { cluster, channel, places, client: transport.connect(endpoint) }
}

/** What others could read or change of what the master made, which does not go by the mask that it was started with. */
function openToOthers(folder: string, isHidden = false): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    const { mode } = lstatSync(path)
    if (entry.isSymbolicLink() || isHidden) return []
    if (entry.isDirectory()) {
      const isOpen = (mode & 0o002) !== 0 ? [`others can write to ${path}`] : []
      return [...isOpen, ...openToOthers(path, (mode & 0o007) === 0)]
    }
    const forbidden = /\.pub$|\/(log|run)\/|\/master$|minions(_\w+)?\/[^/]+$/.test(path) ? 0o002 : 0o006
    return (mode & forbidden) === 0 ? [] : [`${path} has mode ${(mode & 0o777).toString(8)}`]
  })
}

/** Sends until the time is over; gives what must not have come back. */
async function bombard({ client, channel, places }: Prey, chance: Chance, seconds: number): Promise<string[]> {
  const until = performance.now() + seconds * 1000
  const leaks: string[] = []
  let sent = 0
  const lane = async (): Promise<void> => {
    while (performance.now() < until) {
      const luck = chance.next()
      const answer =
        luck < 0.4
          ? await strange(client, chance)
          : luck < 0.8
            ? await (luck < 0.65 ? ownRequest(channel, chance) : ownBytes(client, channel, chance))
            : (await noise(chance.of(places), chance)).toString('latin1')
      sent++
      if (inspect(answer, { depth: 9, maxStringLength: null }).includes(CANARY)) leaks.push('a secret came back')
    }
  }
  await Promise.all(Array.from({ length: 8 }, lane))
  process.stdout.write(`     ${sent} messages\n`)
  return leaks
}

/** What a master does not let go of after it was bombarded. */
async function grown(pid: number, before: Held): Promise<string[]> {
  const now = (): Held => holds(pid)
  const isBack = (): boolean =>
    now().memoryMiB <= before.memoryMiB + MOST_GROWTH_MIB && now().descriptors <= before.descriptors + 20
  try {
    await until('the master lets go', isBack)
    return []
  } catch {
    const { memoryMiB, descriptors } = now()
    return [
      `the master grew by ${(memoryMiB - before.memoryMiB).toFixed()} MiB, and has ${descriptors} descriptors open`,
    ]
  }
}

/** What a master may take for itself under siege: what may be on its way in, and what it needs to read it. */
const MOST_UNDER_SIEGE_MIB = 1200
/** Lines of a log are to be read by somebody. */
const MOST_LOG_BYTES = 2 << 20

async function besiege(transportName: string, { cluster, client, places }: Prey, chance: Chance): Promise<string[]> {
  const problems: string[] = []
  const before = holds(cluster.pidOf('master'))
  const [requests, publications] = places as [NetConnectOpts, NetConnectOpts]
  await siege(transportName, { requests, publications }, chance, async () => {
    const growth = holds(cluster.pidOf('master')).peakMiB - before.memoryMiB
    process.stdout.write(`     ${growth.toFixed()} MiB more at most under siege\n`)
    if (growth > MOST_UNDER_SIEGE_MIB) problems.push(`the master grew by ${growth.toFixed()} MiB under siege`)
    const ping = new Map<Value, Value>([
      ['cmd', 'ping'],
      ['ballast', 'x'.repeat(300_000)],
    ])
    await new ClearClient(client).send(ping, { timeout: PATIENCE_SECONDS, tries: 1 }).catch((error: unknown) => {
      problems.push(`the master serves nobody under siege: ${toError(error).message}`)
    })
  })
  try {
    await until(
      'connections of strangers are gone',
      async () => holds(cluster.pidOf('master')).descriptors <= before.descriptors + 20,
    )
  } catch (error) {
    problems.push(toError(error).message)
  }
  const { length } = cluster.log('master')
  if (length > MOST_LOG_BYTES) problems.push(`the log has ${length} bytes`)
  return problems
}

/** Tags of what somebody without rights must not bring about. */
const isDeed = (tag: string): boolean => /^salt\/(job\/\d{20}\/(new|publish)|run\/\d+\/new|wheel\/\d+\/new)$/.test(tag)

async function fuzz(transportName: string, chance: Chance, seconds: number): Promise<string[]> {
  const prey = await opened(transportName)
  const { cluster, client, channel } = prey
  const problems: string[] = []
  try {
    const outside = readdirSync(cluster.root).sort().join()
    const paths = { pub: join(cluster.sockets, 'master_event_pub.ipc'), pull: '' }
    const bus = await BusClient.open({ paths, filter: isDeed })
    await sleep(500)
    const before = holds(cluster.pidOf('master'))
    problems.push(...(await bombard(prey, chance, seconds)))
    const { pid } = await new ClearClient(client)
      .send(new Map([['cmd', 'ping']]), { timeout: PATIENCE_SECONDS, tries: 1 })
      .then(
        () => ({ pid: cluster.pidOf('master') }),
        (error: unknown) => {
          problems.push(`the master does not answer any more: ${toError(error).message}`)
          return { pid: undefined }
        },
      )
    if (pid !== undefined) problems.push(...(await grown(pid, before)))
    if (pid !== undefined) problems.push(...(await besiege(transportName, prey, chance)))
    problems.push(...openToOthers(join(cluster.root, 'master')))
    const deed = await bus.next(0.1)
    bus.close()
    if (deed) problems.push(`something was brought about: ${deed.tag}`)
    if (readdirSync(cluster.root).sort().join() !== outside) problems.push('files appeared outside')
    if (existsSync('FUZZED') || existsSync(join(cluster.root, 'FUZZED'))) problems.push('a shell was reached')
    if (({} as Record<string, unknown>)['polluted'] !== undefined) problems.push('prototypes were changed')
    if (problems.length > 0) writeFileSync('/dev/stderr', cluster.log('master').slice(-3000))
  } finally {
    client.close()
    channel.close()
    await cluster.close()
  }
  return [...new Set(problems)]
}

let failed = 0
process.stdout.write(`seed ${values.seed}\n`)
const transports = values.transport.split(',')
for (const name of transports) {
  const chance = new Chance(Number(values.seed))
  const seconds = Number(values.seconds) / transports.length
  const problems = await fuzz(name, chance, seconds).catch((error: unknown) => [toError(error).stack ?? ''])
  if (problems.length > 0) failed++
  process.stdout.write(`${problems.length === 0 ? 'ok  ' : 'FAIL'} fuzzing over ${name}\n`)
  for (const problem of problems) process.stdout.write(`     ${problem}\n`)
}
process.exit(failed === 0 ? 0 : 1)
