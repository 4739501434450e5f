// The machine for grains: files, commands and programs of a host, each queried once per collection. Missing or
// unreadable ones count as absent.
import { decodeBytes, PyError } from '../data/mod.ts'
import { type FileStat, type Host, unlessRefused } from '../host/mod.ts'
import { commandsOf, type Probe, probeScript, readProbe } from './probe.ts'

export interface Ran {
  retcode: number
  /** Without the line break at its end. */
  stdout: string
}

/** Time limit of a command in seconds, so that a hanging one does not delay the others. */
const PATIENCE = 10

export class Machine {
  readonly host: Host
  private readonly known = new Map<string, Promise<unknown>>()
  private probing: Promise<void> | undefined

  constructor(host: Host) {
    this.host = host
  }

  get isFar(): boolean {
    return this.host.expect !== undefined
  }

  private once<T>(kind: string, what: string, ask: () => Promise<T>): Promise<T> {
    const key = `${kind} ${what}`
    let answer = this.known.get(key) as Promise<T> | undefined
    if (!answer) {
      answer = ask()
      this.known.set(key, answer)
    }
    return answer
  }

  bytes(path: string): Promise<Uint8Array | undefined> {
    return this.once('bytes', path, () => absentOnFailure(() => this.host.read(path)))
  }

  /** Bytes that are no UTF-8 become replacement characters. */
  async text(path: string): Promise<string | undefined> {
    const bytes = await this.bytes(path)
    return bytes === undefined ? undefined : textOf(bytes)
  }

  async lines(path: string): Promise<string[]> {
    return ((await this.text(path)) ?? '').split('\n')
  }

  stat(path: string): Promise<FileStat | undefined> {
    return this.once('stat', path, () => absentOnFailure(() => this.host.stat(path)))
  }

  async exists(path: string): Promise<boolean> {
    return (await this.stat(path)) !== undefined
  }

  async isFile(path: string): Promise<boolean> {
    return (await this.stat(path))?.type === 'file'
  }

  async isDirectory(path: string): Promise<boolean> {
    return (await this.stat(path))?.type === 'directory'
  }

  /** The names in a directory, sorted. */
  list(path: string): Promise<string[]> {
    return this.once('list', path, async () => {
      const names = await absentOnFailure(() => this.host.list(path))
      return (names ?? []).sort()
    })
  }

  readLink(path: string): Promise<string | undefined> {
    return this.once('link', path, () => absentOnFailure(() => this.host.readLink(path)))
  }

  async which(program: string): Promise<string | undefined> {
    // the probe looks for names
    if (!program.includes('/')) await this.probing
    return this.once('which', program, () => absentOnFailure(() => this.host.which(program)))
  }

  /** Query programs and commands in one round trip; readers of one of them wait for the result. */
  probe(probe: Probe): void {
    this.probing = this.ask(probe)
  }

  private async ask(probe: Probe): Promise<void> {
    const argv = ['/bin/sh', '-c', probeScript(probe)]
    const result = await absentOnFailure(() => this.host.run({ argv, timeout: PATIENCE, onlyReads: true }))
    if (result === undefined || result.retcode !== 0 || result.timedOut) return
    const { programs, commands } = readProbe(textOf(result.stdout))
    for (const [name, path] of programs) this.known.set(`which ${name}`, Promise.resolve(path ?? undefined))
    const asked = commandsOf(probe)
    for (const [at, ran] of commands) this.known.set(`run ${commandKey(asked[at]!)}`, Promise.resolve(ran))
  }

  /** Undefined if the program is missing or took too long. */
  async run(...argv: string[]): Promise<Ran | undefined> {
    await this.probing
    return this.once('run', commandKey(argv), async () => {
      const result = await absentOnFailure(() => this.host.run({ argv, timeout: PATIENCE, env: PLAIN }))
      if (result === undefined || result.timedOut) return undefined
      return { retcode: result.retcode, stdout: textOf(result.stdout).replace(/[\r\n]+$/, '') }
    })
  }

  /** Return the output of a command; empty if it cannot run. */
  async output(...argv: string[]): Promise<string> {
    return (await this.run(...argv))?.stdout ?? ''
  }
}

/** A program is the same by its name and by its path. */
const commandKey = ([program, ...args]: readonly string[]): string =>
  [program!.slice(program!.lastIndexOf('/') + 1), ...args].join('\0')

const PLAIN: ReadonlyMap<string, string> = new Map([['LC_ALL', 'C']])

function textOf(bytes: Uint8Array): string {
  try {
    return decodeBytes(bytes)
  } catch (error) {
    if (!(error instanceof PyError)) throw error
    return new TextDecoder().decode(bytes)
  }
}

async function absentOnFailure<T>(ask: () => Promise<T>): Promise<T | undefined> {
  return unlessRefused(ask(), undefined)
}
