// The process that serves a port of the API. The master serves the API itself, and `salt-api` may run beside it: the
// second process waits, and takes over when the first one ends.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasCode, isGone, recover } from '../base/mod.ts'

export class PortHolder {
  private readonly file: string
  private readonly folder: string

  constructor(cachedir: string, port: number) {
    this.folder = join(cachedir, 'api')
    this.file = join(this.folder, `${port}.pid`)
  }

  /** Note that this process serves the port. */
  note(): void {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 })
    writeFileSync(this.file, String(process.pid), { mode: 0o600 })
  }

  forget(): void {
    if (this.read() === process.pid) rmSync(this.file, { force: true })
  }

  /** Return the other process of this master that serves the port, if there is one. */
  other(): number | undefined {
    const pid = this.read()
    return pid !== undefined && pid !== process.pid && !isGone(pid) ? pid : undefined
  }

  private read(): number | undefined {
    return recover(hasCode('ENOENT'), undefined, () => {
      const pid = Number.parseInt(readFileSync(this.file, 'utf8'), 10)
      return pid > 0 ? pid : undefined
    })
  }
}
