// The ids of jobs that a minion accepted, so that it runs each job once although a master may send it twice. The ids
// are also in a file, one per line, so that a job does not run again after a restart of the minion.
import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { isJid, type Log, PRIVATE_FILE, type Storing, toError } from '../base/mod.ts'

/** Jobs that are remembered, at least. A master keeps jobs for minions for an hour at most. */
const LEAST = 10_000

export class TakenJobs {
  private readonly file: string
  private readonly storing: Storing
  private readonly log: Log
  private readonly most: number
  private readonly jids: Set<string>
  /** Lines in the file. */
  private lines: number
  /** Whether this process has written to the file. */
  private hasWritten = false
  /** Whether the last id could not be written: the log says so once. */
  private isFailing = false

  /** `most` is the number of jobs to remember (`minion_jid_queue_hwm`), where it is more than the least. */
  constructor(file: string, most: number, storing: Storing, log: Log) {
    this.file = file
    this.most = Math.max(LEAST, most)
    this.storing = storing
    this.log = log
    const stored = this.read()
    this.jids = new Set(stored.slice(-this.most))
    this.lines = stored.length
  }

  /** Take a job; false when it was taken before. The id is on disk when this returns, if the disk takes it. */
  take(jid: string): boolean {
    if (this.jids.has(jid)) return false
    this.jids.add(jid)
    if (this.jids.size > this.most) this.jids.delete(this.jids.values().next().value!)
    this.write(jid)
    return true
  }

  private read(): string[] {
    try {
      // a line that was cut by a power failure is no job id
      return readFileSync(this.file, 'utf8').split('\n').filter(isJid)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
        this.log('warning', `Cannot read ${this.file}, which is begun anew: ${toError(error).message}`)
      }
      return []
    }
  }

  /** Rewrite the file with the remembered ids. */
  private shorten(): void {
    const fresh = `${this.file}.new`
    writeFileSync(fresh, [...this.jids, ''].join('\n'), { mode: PRIVATE_FILE })
    renameSync(fresh, this.file)
    this.lines = this.jids.size
  }

  private write(jid: string): void {
    try {
      this.storing(this.file, () => {
        if (this.lines >= 2 * this.most) this.shorten()
        // the last line may have been cut off by a power failure
        appendFileSync(this.file, `${this.hasWritten ? '' : '\n'}${jid}\n`, { mode: PRIVATE_FILE })
        this.hasWritten = true
        this.lines++
      })
      this.isFailing = false
    } catch (error) {
      if (this.isFailing) return
      this.isFailing = true
      this.log(
        'error',
        `Cannot note job ${jid} in ${this.file}; after a restart it might run again: ${toError(error).message}`,
      )
    }
  }
}
