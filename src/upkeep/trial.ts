// One upgrade of a minion, as files in `<prefix>/upgrades/<job id>`: the request, the verdict and the outcome. The verdict is a file that
// only one process can create: the new version creates it when it has reported to its master, and the supervisor when the time is over.
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { isJid, PRIVATE_FILE, PRIVATE_FOLDER } from '../base/mod.ts'

const request = z.object({
  jid: z.string(),
  /** The kind of installation: version directories or Debian packages. */
  kind: z.enum(['versions', 'packages']).default('versions'),
  from: z.string(),
  to: z.string(),
  prefix: z.string(),
  /** When it began, in milliseconds since 1970, and how long the new version may take, in seconds. */
  began: z.number(),
  seconds: z.number(),
  /** The process of the old version. */
  old: z.string(),
  /** The command line of the minion: Node, its options, and the words after the program. */
  node: z.string(),
  execArgv: z.array(z.string()),
  words: z.array(z.string()),
  cwd: z.string(),
  /** The job as it was published, for its return. */
  fun_args: z.unknown(),
  user: z.string(),
})

export type TrialRequest = z.infer<typeof request>

export type TrialVerdict = 'confirmed' | 'expired'

/** Bytes of the log of a new version that failed. */
const TAIL = 4096

/** Upgrades that are remembered. */
const KEPT = 5

export class UpgradeTrial {
  readonly folder: string
  readonly request: TrialRequest

  private constructor(folder: string, own: TrialRequest) {
    this.folder = folder
    this.request = own
  }

  static create(own: TrialRequest): UpgradeTrial {
    const all = join(own.prefix, 'upgrades')
    mkdirSync(all, { recursive: true, mode: PRIVATE_FOLDER })
    const old = readdirSync(all)
      .filter((name) => isJid(name))
      .sort()
    for (const name of old.slice(0, -KEPT)) rmSync(join(all, name), { recursive: true, force: true })
    const folder = join(all, own.jid)
    mkdirSync(folder, { mode: PRIVATE_FOLDER })
    const trial = new UpgradeTrial(folder, own)
    trial.write('request.json', JSON.stringify(own))
    return trial
  }

  static read(folder: string): UpgradeTrial {
    return new UpgradeTrial(folder, request.parse(JSON.parse(readFileSync(join(folder, 'request.json'), 'utf8'))))
  }

  /** Return the upgrade of a prefix whose result is not reported to a master yet. */
  static unreported(prefix: string): UpgradeTrial | undefined {
    const all = join(prefix, 'upgrades')
    if (!existsSync(all)) return undefined
    const names = readdirSync(all)
      .filter((name) => isJid(name))
      .sort()
      .reverse()
    const name = names.find(
      (jid) => existsSync(join(all, jid, 'request.json')) && !existsSync(join(all, jid, 'reported')),
    )
    return name === undefined ? undefined : UpgradeTrial.read(join(all, name))
  }

  /** Decide. Return whether this verdict counts: the first one does. */
  decide(verdict: TrialVerdict, reason: string): boolean {
    try {
      const fd = openSync(join(this.folder, 'verdict'), 'wx', PRIVATE_FILE)
      try {
        writeFileSync(fd, `${verdict} ${reason}`)
      } finally {
        closeSync(fd)
      }
      return true
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
      throw error
    }
  }

  /** The verdict with its reason. A verdict that a power cut left empty counts as expired. */
  get verdict(): { verdict: TrialVerdict; reason: string } | undefined {
    const file = join(this.folder, 'verdict')
    if (!existsSync(file)) return undefined
    const [, word, reason = ''] = /^(\w+) (.*)$/s.exec(readFileSync(file, 'utf8')) ?? []
    return { verdict: word === 'confirmed' ? 'confirmed' : 'expired', reason: reason || 'the machine went down' }
  }

  get isExpired(): boolean {
    return Date.now() > this.deadline
  }

  /** In milliseconds since 1970. */
  get deadline(): number {
    return this.request.began + this.request.seconds * 1000
  }

  /** The process of the new version, once it was started. */
  get process(): string | undefined {
    const file = join(this.folder, 'process')
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined
  }

  noteProcess(mark: string): void {
    this.write('process', mark)
  }

  noteReported(): void {
    this.write('reported', new Date().toISOString())
  }

  get log(): string {
    return join(this.folder, 'log')
  }

  /** The end of the new version's output. */
  get tail(): string {
    const size = statSync(this.log, { throwIfNoEntry: false })?.size ?? 0
    if (size === 0) return ''
    const bytes = Buffer.alloc(Math.min(size, TAIL))
    const fd = openSync(this.log, 'r')
    try {
      readSync(fd, bytes, 0, bytes.length, size - bytes.length)
    } finally {
      closeSync(fd)
    }
    return bytes.toString('utf8')
  }

  private write(name: string, text: string): void {
    const file = join(this.folder, name)
    writeFileSync(`${file}.tmp`, text, { mode: PRIVATE_FILE })
    renameSync(`${file}.tmp`, file)
  }
}
