// The shells of one target. One is enough as long as requests are awaited one by one; another is opened, over the same connection,
// when all are busy with a command.
import { Agent, type AgentAnswer, type AgentBatch, type AgentRequestOptions } from './agent.ts'
import type { Channel, ShellProcess } from './channel.ts'
import type { SshConnection } from './connection.ts'
import { isSshError, lostError } from './errors.ts'
import { factsLine, type ShellSettings } from './prologue.ts'
import { expandedWord } from './shell-text.ts'

/** By default, sshd allows ten sessions per connection. */
const MOST = 8

/** The output of a shell before it starts, and the clock difference if the shell started long ago. */
export interface Introduction {
  facts: Buffer
  clockOffset?: number
}

export class Agents {
  /** Times that were waited for the target. */
  roundTrips = 0
  private readonly connection: SshConnection
  private readonly agents: Agent[] = []
  /** The shell of the last request. */
  private last: Agent | undefined
  /** The shell that all requests go to now. */
  private pinned: Agent | undefined
  /** The first answer of a shell that was taken over. */
  private answered: Promise<unknown> = Promise.resolve()
  private isClosed = false
  private watch: NodeJS.Timeout | undefined

  constructor(connection: SshConnection) {
    this.connection = connection
  }

  /** Whether the next request goes to the first shell, after all earlier short ones. */
  get isInOrder(): boolean {
    const [first] = this.agents
    return first?.isUsable === true && !first.isBusy
  }

  /** Choose the shell for the next request: an idle one, else a new one, else the one with the fewest requests. */
  private choose(): Agent {
    this.last = this.pinned?.isUsable ? this.pinned : this.bestOne()
    return this.last
  }

  private bestOne(): Agent {
    const usable = this.agents.filter((agent) => agent.isUsable)
    const free = usable.find((agent) => !agent.isBusy)
    if (free) return free
    if (usable.length < MOST) return this.start()
    return usable.reduce((best, agent) => (agent.outstanding < best.outstanding ? agent : best))
  }

  /** Start the first shell or take over a waiting one, and return the facts in its preamble. */
  async introduce(): Promise<Introduction> {
    const taken = this.connection.takeShell()
    if (taken) {
      const agent = this.add(taken.channel)
      const answered = agent.request(':', { isRead: true })
      // the error goes to the callers that wait for it
      answered.catch(() => {})
      try {
        await taken.channel.ready
        this.answered = answered
        return { facts: taken.channel.preamble, clockOffset: taken.clockOffset }
      } catch {
        // its connection ended before the first request
        this.agents.splice(this.agents.indexOf(agent), 1)
      }
    }
    this.roundTrips++
    const { channel } = this.start(factsLine(this.settings))
    await channel.ready
    return { facts: channel.preamble }
  }

  /**
   * Wait until the target has answered in this session: the old output of a shell that was taken over proves nothing.
   */
  async reached(): Promise<void> {
    await this.answered
  }

  /** Leave a shell to the next program. */
  leaveShell(clockOffset: number): void {
    if (!this.lost) this.connection.leaveShell(this.line, factsLine(this.settings), { clockOffset })
  }

  private get settings(): ShellSettings {
    const { path, umask } = this.connection.target
    return { ...(path !== undefined && { path: expandedWord(path) }), ...(umask !== undefined && { umask }) }
  }

  private get line(): string {
    const { shell, usesTerminal } = this.connection
    // a shell whose input is a terminal would print prompts. tee would wait for the terminal's end, so it is ended with
    // the shell. It passes on its input at once; the cat of busybox may buffer 16 MB
    return usesTerminal ? `tee | { ${shell}; kill -HUP $$; }` : `exec ${shell}`
  }

  private start(preamble = ''): Agent {
    return this.add(this.connection.open(this.line, { preamble }))
  }

  private add(channel: Channel<ShellProcess>): Agent {
    const agent = new Agent(channel, this.connection.host, this.settings, () => {
      this.roundTrips++
    })
    this.agents.push(agent)
    this.watchSilence()
    return agent
  }

  request(text: string, options?: AgentRequestOptions): Promise<AgentAnswer> {
    return this.failure ? Promise.reject(this.failure) : this.choose().request(text, options)
  }

  /** Send a request to an idle shell; also while the others are closed, to end their commands. */
  requestBeside(text: string): Promise<AgentAnswer> {
    if (this.lost) return Promise.reject(this.lost)
    const idle = this.agents.find((agent) => agent.isUsable && agent.outstanding === 0)
    return (idle ?? (this.agents.length < MOST ? this.start() : this.choose())).request(text)
  }

  /** Request one item of a kind, together with others; undefined means that it must be requested separately. */
  requestOf<T>(kind: AgentBatch<T>, item: string): Promise<T | undefined> {
    return this.failure ? Promise.reject(this.failure) : this.choose().requestOf(kind, item)
  }

  /** Send the requests that `work` makes at once to the shell of the last request, after which they are answered. */
  behindLast(work: () => void): void {
    this.pinned = this.last
    try {
      work()
    } finally {
      this.pinned = undefined
    }
  }

  /** A lost target stays lost, because its state is unknown. A closed one gets no more requests. */
  private get failure(): Agent['failure'] {
    return this.isClosed ? lostError(this.connection.host, 'it was closed') : this.lost
  }

  private get lost(): Agent['failure'] {
    return this.agents.find(({ failure }) => isSshError(failure, 'ConnectionLost'))?.failure
  }

  /**
   * Check a silent machine: a hanging machine may keep its connections open, so one with unanswered requests must at
   * least start another shell.
   */
  private watchSilence(): void {
    const limit = this.connection.requestTimeout * 1000
    if (limit === 0 || this.watch) return
    this.watch = setTimeout(() => {
      const isSilent = this.agents.some(({ silence }) => silence >= limit)
      const next = isSilent ? this.checkLife() : Promise.resolve()
      next.finally(() => {
        this.watch = undefined
        if (!this.isClosed && !this.lost) this.watchSilence()
      })
    }, limit / 2)
    this.watch.unref()
  }

  private async checkLife(): Promise<void> {
    const { host, requestTimeout, shellTimeout } = this.connection
    const hasRoom = this.agents.length < MOST || this.agents.some(({ outstanding }) => outstanding === 0)
    if (!hasRoom) return
    let timer: NodeJS.Timeout | undefined
    const patience = new Promise<'silent'>((done) => {
      timer = setTimeout(() => done('silent'), shellTimeout * 1000)
    })
    const answer = await Promise.race([this.requestBeside(':').catch(() => undefined), patience])
    clearTimeout(timer)
    if (answer !== 'silent') return
    const text = `no answer for ${requestTimeout} seconds, and no other shell starts there`
    for (const agent of this.agents) agent.abandon(lostError(host, text))
    // the next program reconnects; others' channels in this connection stay open
    await this.connection.order('stop').catch(() => {})
  }

  async close(): Promise<void> {
    this.isClosed = true
    clearTimeout(this.watch)
    const { connection } = this
    const letGo = connection.isKept ? (child: ShellProcess) => connection.letGo(child) : undefined
    await Promise.all(this.agents.map((agent) => agent.close(letGo)))
  }
}
