// The jobs from masters above, with the master of each, which gets the returns. They are also in a file, so that a
// restart neither publishes a job twice nor sends its returns elsewhere. A line contains a job id, a sign, and the name
// of the master: `>` while the job is being published by the local master, `=` afterwards. A batch publishes one job
// once per round: a mark after the sign identifies the list of minions.
import { createHash } from 'node:crypto'
import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { isJid, type Log, PRIVATE_FILE, toError } from '../base/mod.ts'
import { encodeMsgpack, isList, type Value } from '../data/mod.ts'

/** Jobs that are remembered. */
const MOST = 20_000

/** Rounds of a batch that are remembered: none is published again after so many others. */
const MOST_ROUNDS = 64

interface Forwarded {
  master: string
  /** The marks of the targets that are already published. */
  done: Set<string>
}

const SIGN = /^([>=])([0-9a-f]*)$/

/** Return the mark of a target; targets other than lists need none. */
const markOf = (target: Value): string =>
  isList(target) ? createHash('sha256').update(encodeMsgpack(target, 'bus')).digest('hex').slice(0, 16) : ''

export class ForwardedJobs {
  private readonly file: string
  private readonly log: Log
  private readonly jobs = new Map<string, Forwarded>()
  private lines = 0
  /** Whether the last line may be cut, so that no other may follow it. */
  private isCut = false

  constructor(file: string, log: Log) {
    this.file = file
    this.log = log
    for (const line of this.read()) this.readLine(line)
    if (this.lines > 0 || this.isCut) this.store(() => this.shorten())
  }

  /** Return the master above that published a job; undefined if none of them did. */
  masterOf(jid: string): string | undefined {
    return this.jobs.get(jid)?.master
  }

  /** Note a job before it is handed on; false when that was done before. */
  begin(jid: string, target: Value, master: string): boolean {
    const known = this.jobs.get(jid)
    if (known && (known.done.has('') || known.done.has(markOf(target)))) return false
    this.set(jid, known?.master ?? master)
    this.write(lineOf(jid, '>', known?.master ?? master))
    return true
  }

  /** The master of this machine has the job. */
  done(jid: string, target: Value): void {
    const known = this.jobs.get(jid)
    if (!known) return
    this.set(jid, known.master, markOf(target))
    this.write(lineOf(jid, `=${markOf(target)}`, known.master))
  }

  private set(jid: string, master: string, mark?: string): void {
    const job = this.jobs.get(jid) ?? { master, done: new Set() }
    job.master = master
    if (mark !== undefined) job.done.add(mark)
    if (job.done.size > MOST_ROUNDS) job.done.delete(job.done.values().next().value!)
    this.jobs.set(jid, job)
    if (this.jobs.size > MOST) this.jobs.delete(this.jobs.keys().next().value!)
  }

  private write(line: string): void {
    this.store(() => {
      if (this.isCut || this.lines >= 4 * MOST) this.shorten()
      else appendFileSync(this.file, line, { mode: PRIVATE_FILE })
      this.lines++
    })
  }

  private read(): string[] {
    try {
      const lines = readFileSync(this.file, 'utf8').split('\n')
      // after a power failure or on a full disk, the last line may be incomplete
      this.isCut = lines.pop() !== ''
      return lines
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
        this.log('warning', `Cannot read ${this.file}, which is begun anew: ${toError(error).message}`)
      }
      return []
    }
  }

  private readLine(line: string): void {
    const [jid = '', sign = '', ...master] = line.split(' ')
    const [, kind, mark = ''] = SIGN.exec(sign) ?? []
    if (!isJid(jid) || kind === undefined || master.length === 0) return
    this.set(jid, master.join(' '), kind === '=' ? mark : undefined)
    this.lines++
  }

  private shorten(): void {
    const fresh = `${this.file}.new`
    const lines = [...this.jobs].flatMap(([jid, { master, done }]) =>
      done.size === 0 ? [lineOf(jid, '>', master)] : [...done].map((mark) => lineOf(jid, `=${mark}`, master)),
    )
    writeFileSync(fresh, lines.join(''), { mode: PRIVATE_FILE })
    renameSync(fresh, this.file)
    this.lines = 0
    this.isCut = false
  }

  private store(write: () => void): void {
    try {
      write()
    } catch (error) {
      this.isCut = true
      const risk = 'after a restart jobs might be handed on again, and returns to another master'
      this.log('error', `Cannot write ${this.file}; ${risk}: ${toError(error).message}`)
    }
  }
}

const lineOf = (jid: string, sign: string, master: string): string => `${jid} ${sign} ${master}\n`
