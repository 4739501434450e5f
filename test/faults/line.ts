// A connection between minions and a port of the master that can be cut, or dropped silently.
import { connect, createServer, type Server, type Socket } from 'node:net'

export class Line {
  port = 0
  /** Delay of data from minions, in milliseconds. */
  lateness = 0
  private readonly server: Server
  private readonly pairs = new Set<[Socket, Socket]>()
  /** Ends without a peer. */
  private readonly orphans = new Set<Socket>()
  private readonly target: number

  private constructor(target: number) {
    this.target = target
    this.server = createServer((near) => this.join(near))
  }

  static async open(target: number): Promise<Line> {
    const line = new Line(target)
    await new Promise<void>((done) => line.server.listen(0, '127.0.0.1', done))
    line.port = (line.server.address() as { port: number }).port
    return line
  }

  private join(near: Socket): void {
    const far = connect(this.target, '127.0.0.1')
    const pair: [Socket, Socket] = [near, far]
    this.pairs.add(pair)
    const end = (): void => {
      this.pairs.delete(pair)
      near.destroy()
      far.destroy()
    }
    for (const socket of pair) socket.on('error', end).on('close', end)
    if (this.lateness > 0)
      near.on('data', (bytes) => setTimeout(() => far.destroyed || far.write(bytes), this.lateness))
    else near.pipe(far)
    far.pipe(near)
  }

  /** Both ends are notified. */
  cut(): void {
    for (const [near, far] of this.pairs) {
      near.destroy()
      far.destroy()
    }
  }

  /** Drop all data on these connections from now on. */
  deafen(): void {
    for (const [near, far] of this.pairs) {
      near.unpipe(far)
      far.unpipe(near)
      near.resume()
      far.resume()
    }
  }

  /** Drop one end of each connection without a notice to the other. */
  halve(): void {
    let isNear = false
    for (const [near, far] of this.pairs) {
      isNear = !isNear
      const [gone, left] = isNear ? [near, far] : [far, near]
      near.unpipe(far)
      far.unpipe(near)
      this.orphans.add(left)
      left.resume()
      gone.removeAllListeners('close')
      gone.destroy()
    }
  }

  /** Close the remaining ends. */
  mend(): void {
    for (const socket of this.orphans) socket.destroy()
    this.orphans.clear()
  }

  async close(): Promise<void> {
    this.mend()
    this.cut()
    await new Promise((done) => this.server.close(done))
  }
}
