// Timeout of a channel beside the shells, such as that of a transfer or of `-r`, to a hanging machine: its connection
// may be open, and its server may answer keepalives, while its processes hang. A silent channel is abandoned only if
// the machine starts no other process either, so commands may take any time.
import type { ShellProcess } from './channel.ts'
import type { SshConnection } from './connection.ts'
import { lostError, type SshError } from './errors.ts'

export class SilenceWatch {
  /** Why the channel was ended. */
  failure: SshError | undefined
  private readonly connection: SshConnection
  private readonly child: ShellProcess
  private timer: NodeJS.Timeout | undefined
  private isOver = false

  constructor(connection: SshConnection, child: ShellProcess) {
    this.connection = connection
    this.child = child
    this.heard()
  }

  /** Something came, or went out. */
  heard(): void {
    clearTimeout(this.timer)
    const { requestTimeout } = this.connection
    if (requestTimeout === 0 || this.isOver) return
    this.timer = setTimeout(() => void this.check(), requestTimeout * 1000)
    this.timer.unref()
  }

  private async check(): Promise<void> {
    const { host, requestTimeout } = this.connection
    if (await startsProcess(this.connection)) return this.heard()
    if (this.isOver) return
    this.failure = lostError(host, `no answer for ${requestTimeout} seconds, and no other shell starts there`)
    this.close()
    const { child } = this
    child.kill('SIGTERM')
    // the shared connection holds the other ends as long as the target does
    child.stdin.destroy()
    child.stdout.destroy()
    child.stderr.destroy()
    // the next program connects anew
    await this.connection.order('stop').catch(() => {})
  }

  close(): void {
    this.isOver = true
    clearTimeout(this.timer)
  }
}

/** Whether the target starts a process, or at least says why it does not. */
async function startsProcess(connection: SshConnection): Promise<boolean> {
  const { child, ready } = connection.open('exit')
  // a login that is still on its way may take its time
  const seconds = Math.max(connection.shellTimeout, connection.target.connectTimeout ?? 0)
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise<boolean>((done) => {
    timer = setTimeout(() => done(false), seconds * 1000)
  })
  const answer = ready.then(
    () => true,
    () => true,
  )
  const isAnswered = await Promise.race([answer, patience])
  clearTimeout(timer)
  child.stdin.destroy()
  child.kill('SIGTERM')
  return isAnswered
}
