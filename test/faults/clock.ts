// The adjustable clock of a process: libfaketime replaces the system's time by that in a file. Only the time of day
// jumps; monotonic clocks continue.
import { existsSync, writeFileSync } from 'node:fs'

const LIBRARY = ['/usr/lib/x86_64-linux-gnu', '/usr/lib/aarch64-linux-gnu']
  .map((folder) => `${folder}/faketime/libfaketimeMT.so.1`)
  .find((path) => existsSync(path))

/** Whether clocks can be set here: Debian's package is `libfaketime`. */
export const canSetClocks: boolean = LIBRARY !== undefined

export class Clock {
  private readonly file: string
  private offset = 0

  constructor(file: string) {
    this.file = file
    this.jump(0)
  }

  /** Set the clock forwards by this many seconds; back for a negative number. */
  jump(seconds: number): void {
    this.offset += seconds
    writeFileSync(this.file, `${this.offset < 0 ? '' : '+'}${this.offset}\n`)
  }

  /** Return the distance of a job id from this clock, in seconds. */
  distance(jid: string): number {
    const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)/.exec(jid)!.map(Number)
    const made = new Date(year!, month! - 1, day, hour, minute, second).getTime() / 1000
    return Math.abs(made - this.offset - Date.now() / 1000)
  }

  /** The environment of a process that uses this clock. */
  env(library: string): Record<string, string> {
    return {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: this.file,
      FAKETIME_NO_CACHE: '1',
      DONT_FAKE_MONOTONIC: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      NO_FAKE_STAT: '1',
    }
  }

  /** Processes that are started meanwhile go by this clock. */
  async during<T>(start: () => Promise<T>): Promise<T> {
    const own = this.env(LIBRARY!)
    Object.assign(process.env, own)
    try {
      return await start()
    } finally {
      for (const name of Object.keys(own)) delete process.env[name]
    }
  }
}
