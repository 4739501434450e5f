// The jobs that came from above, and from which master: returns go to that one. They are in a file as well, so that a restart neither
// publishes a job twice nor sends its returns elsewhere. A line is a job id, a sign, and the name of the master: `>` while the job is
// handed to the master of this machine, `=` when that was done.
import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { isJid, type Log, PRIVATE_FILE, toError } from '../base/mod.ts'

/** Jobs that are remembered. */
const MOST = 20_000

interface Forwarded {
  master: string
  isDone: boolean
}

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

  /** The master above that published a job; undefined when it is none of theirs. */
  masterOf(jid: string): string | undefined {
    return this.jobs.get(jid)?.master
  }

  /** Note a job before it is handed on; false when that was done before. */
  begin(jid: string, master: string): boolean {
    if (this.jobs.get(jid)?.isDone) return false
    this.note(jid, { master, isDone: false })
    return true
  }

  /** The master of this machine has the job. */
  done(jid: string): void {
    const known = this.jobs.get(jid)
    if (known) this.note(jid, { ...known, isDone: true })
  }

  private note(jid: string, job: Forwarded): void {
    this.jobs.set(jid, job)
    if (this.jobs.size > MOST) this.jobs.delete(this.jobs.keys().next().value!)
    this.store(() => {
      if (this.isCut || this.lines >= 4 * MOST) this.shorten()
      else appendFileSync(this.file, lineOf(jid, job), { mode: PRIVATE_FILE })
      this.lines++
    })
  }

  private read(): string[] {
    try {
      const lines = readFileSync(this.file, 'utf8').split('\n')
      // a power failure or a full disk cut what is behind the last end of a line
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
    if (!isJid(jid) || !['>', '='].includes(sign) || master.length === 0) return
    this.jobs.set(jid, { master: master.join(' '), isDone: sign === '=' })
    this.lines++
    if (this.jobs.size > MOST) this.jobs.delete(this.jobs.keys().next().value!)
  }

  private shorten(): void {
    const fresh = `${this.file}.new`
    writeFileSync(fresh, [...this.jobs].map(([jid, job]) => lineOf(jid, job)).join(''), { mode: PRIVATE_FILE })
    renameSync(fresh, this.file)
    this.lines = this.jobs.size
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

const lineOf = (jid: string, { master, isDone }: Forwarded): string => `${jid} ${isDone ? '=' : '>'} ${master}\n`
