// `brine simulate N`: simulated minions of a master.
import { readFileSync } from 'node:fs'
import { BrineError, brineVersion } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, isDict, isList, type Value } from '../data/mod.ts'
import { grainsFrom, type KeyPool, keyPool, SimulatedFleet, type SimulatedFleetOptions } from '../simulate/mod.ts'
import { isValidId, openFiles, RAISE_LIMIT } from '../wire/mod.ts'
import { load as loadYaml } from '../yaml/mod.ts'
import { type CommandOptions, progressLine, readMaster, runCommand } from './brine-command.ts'
import { UsageError } from './optparse/exit.ts'
import { BRINE_SIMULATE } from './programs/brine-simulate.ts'
import { acceptKeys } from './simulate/accept-keys.ts'
import { fleetSummary, progressText, readyText, refusalText, reportLine } from './simulate/report.ts'
import { processStreams, type Streams } from './streams.ts'

export const PROGRAM = BRINE_SIMULATE

/** Descriptors of the process itself, and of each minion. */
const DESCRIPTORS = { own: 64, minion: 2 }
const LOOK_MS = 250
/** Milliseconds without any answer of the master after which the command says so. */
const SILENCE_MS = 30_000

export function run(argv: readonly string[], streams: Streams = processStreams): Promise<number> {
  return runCommand(PROGRAM, argv, streams, async (words) => {
    const opts = words.flag('accept') ? await readMaster(words, streams) : undefined
    const options = fleetOptions(words, opts)
    const [size, bits] = [Math.min(whole(words, 'keys', 1), options.count), whole(words, 'key_size', 1024)]
    const directory = words.text('pki_dir')
    const pool = await keyPool({ size, bits, directory })
    const pemOf = (number: number): string => pool.pairs[number % size]!.publicKey.pem
    const release = opts && acceptKeys(opts, options, pemOf)
    try {
      return await simulate(options, pool, words, streams)
    } finally {
      // keys that no later run can use are not left behind
      if (directory === undefined) release?.()
    }
  })
}

type Fixed = Omit<SimulatedFleetOptions, 'keys' | 'masterKey'>

async function simulate(options: Fixed, pool: KeyPool, words: CommandOptions, streams: Streams): Promise<number> {
  const fleet = new SimulatedFleet({ ...options, keys: pool.pairs, masterKey: pool.masterKey })
  const [isJson, began] = [words.flag('json'), performance.now()]
  const line = progressLine(streams, 'Simulating')
  const looking = setInterval(() => line.tell(progressText(fleet.progress, options.count)), LOOK_MS)
  const warning = setTimeout(() => {
    if (fleet.progress.connected > 0 || fleet.progress.pending > 0) return
    const { host, port } = options.master
    streams.err(`The master ${host}:${port} has not answered for ${SILENCE_MS / 1000} s; the minions go on trying\n`)
  }, SILENCE_MS)
  const end = untilInterrupted()
  try {
    const hasOpened = await Promise.race([fleet.open().then(() => true), end.interrupted.then(() => false)])
    if (hasOpened) {
      line.end()
      pool.keepMasterKey(fleet.report.masterKey)
      streams.out(isJson ? reportLine('ready', fleet.report) : readyText(fleet.report))
      streams.err(refusalText(fleet.report))
      if (fleet.progress.connected > 0) await Promise.race([end.interrupted, end.after(seconds(words))])
    }
  } finally {
    clearInterval(looking)
    clearTimeout(warning)
    line.end()
    await fleet.settle()
    end.forget()
    fleet.stop()
  }
  const wallS = (performance.now() - began) / 1000
  streams.out(isJson ? reportLine('end', fleet.report) : fleetSummary(fleet.report, wallS))
  return fleet.progress.connected === 0 ? 1 : 0
}

interface End {
  interrupted: Promise<void>
  /** Resolves after that many seconds; never for 0. */
  after(seconds: number): Promise<void>
  forget(): void
}

/** End the run at Ctrl-C and SIGTERM; a second Ctrl-C ends the process at once. */
function untilInterrupted(): End {
  let stop = (): void => undefined
  let timer: NodeJS.Timeout | undefined
  const interrupted = new Promise<void>((done) => {
    stop = done
  })
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, stop)
  return {
    interrupted,
    after: (wait) =>
      new Promise((done) => {
        if (wait > 0) timer = setTimeout(done, wait * 1000)
      }),
    forget() {
      clearTimeout(timer)
      for (const name of ['SIGINT', 'SIGTERM'] as const) process.off(name, stop)
    },
  }
}

/** `opts`: the options of the master on this machine, if the command has read them. */
function fleetOptions(words: CommandOptions, opts: Dict | undefined): Fixed {
  const count = minionCount(words)
  const host = words.text('master') ?? (opts === undefined ? LOOPBACK : addressFrom(option(opts, 'interface')))
  const port = optional(words, 'port') ?? (opts === undefined ? 4506 : option(opts, 'ret_port'))
  const [prefix, first] = [words.text('prefix')!, whole(words, 'first', 0)]
  if (!isValidId(`${prefix}${first + count - 1}`)) throw new UsageError(`no id of a minion can begin with ${prefix}`)
  const version = brineVersion()
  return {
    count,
    first,
    prefix,
    master: { host, port, publishPort: optional(words, 'publish_port') },
    transport: words.text('transport') ?? (opts === undefined ? 'zeromq' : option(opts, 'transport')),
    lanes: whole(words, 'sign_ins', 1),
    hasOwnAddresses: isLoopback(host) && process.platform === 'linux' && !words.flag('same_address'),
    grains: grainsFrom(version, readGrains(words.text('grains'))),
    fetchesPillar: !words.flag('no_pillar'),
    firesStart: !words.flag('no_start_event'),
    fetchesFiles: words.flag('fetch_files'),
    shape: { states: whole(words, 'states', 0), bytes: whole(words, 'return_size', 0), version },
    delayMs: delay(words.text('delay')!),
    faults: {
      silentPercent: percent(words, 'silent'),
      failPercent: percent(words, 'fail'),
      twicePercent: percent(words, 'twice'),
      latePercent: percent(words, 'late'),
      lateMs: whole(words, 'late_by', 0),
      reconnectsPerSecond: amount(words, 'reconnect'),
    },
    events: {
      perSecond: amount(words, 'events'),
      bytes: whole(words, 'event_size', 0),
      tag: words.text('event_tag')!,
    },
  }
}

function minionCount(words: CommandOptions): number {
  const [text = '', ...more] = words.args
  const count = /^[1-9]\d{0,6}$/.test(text) ? Number(text) : 0
  if (count === 0 || more.length > 0) throw new UsageError('say how many minions to simulate, such as 100')
  const most = Math.floor((openFiles() - DESCRIPTORS.own) / DESCRIPTORS.minion)
  if (count > most) {
    throw new BrineError(
      'TooManyMinions',
      `This process can hold the connections of ${most} minions, not of ${count}`,
      {
        hint: `${RAISE_LIMIT}, or start several commands with --first`,
      },
    )
  }
  return count
}

const LOOPBACK = '127.0.0.1'

const isLoopback = (host: string): boolean => host === 'localhost' || host === LOOPBACK

/** Return the address at which this machine reaches a master that listens on `listening`. */
const addressFrom = (listening: string): string => (['', '0.0.0.0', '::'].includes(listening) ? LOOPBACK : listening)

const flagOf = (name: string): string => `--${name.replaceAll('_', '-')}`

function amount(words: CommandOptions, name: string, least = 0): number {
  const value = Number(words.text(name))
  if (!Number.isFinite(value) || value < least) throw new UsageError(`${flagOf(name)} must be at least ${least}`)
  return value
}

function whole(words: CommandOptions, name: string, least: number): number {
  return Math.floor(amount(words, name, least))
}

const optional = (words: CommandOptions, name: string): number | undefined =>
  words.text(name) === undefined ? undefined : whole(words, name, 1)

const seconds = (words: CommandOptions): number => amount(words, 'duration')

function percent(words: CommandOptions, name: string): number {
  const value = amount(words, name)
  if (value > 100) throw new UsageError(`${flagOf(name)} must be at most 100`)
  return value
}

function delay(text: string): [number, number] {
  const [, least, most] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(text) ?? []
  const range: [number, number] = [Number(least), Number(most ?? least)]
  if (least === undefined || range[1] < range[0]) {
    throw new UsageError(`--delay must be milliseconds such as 200, or a range such as 100-2000, not ${text}`)
  }
  return range
}

function readGrains(file: string | undefined): Dict[] {
  if (file === undefined) return []
  const data: Value = loadYaml(readFileSync(file, 'utf8'), { name: file })
  const list = isList(data) ? data : [data]
  if (!list.every(isDict)) {
    throw new BrineError('BadGrains', `The grains in ${file} must be a mapping or a list of mappings`)
  }
  return list
}
