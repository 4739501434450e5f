// The shells of one target. One is enough as long as requests are awaited one by one; another is opened, over the same connection,
// when all are busy with a command.
import { Agent, type Answer, type RequestOptions } from './agent.ts'
import type { SshConnection } from './connection.ts'
import { isSshError } from './errors.ts'
import { expandedWord } from './shell-text.ts'

/** sshd allows ten sessions in a connection unless it is told otherwise. */
const MOST = 8

export class Agents {
  /** Times that were waited for the target. */
  roundTrips = 0
  private readonly connection: SshConnection
  private readonly agents: Agent[] = []

  constructor(connection: SshConnection) {
    this.connection = connection
  }

  /** Whether the next request goes to the first shell: then it comes after all short ones before it. */
  get isInOrder(): boolean {
    const [first] = this.agents
    return first?.isUsable === true && !first.isBusy
  }

  /** The shell that is asked next: an idle one, else a new one, else the one with the fewest requests. */
  private choose(): Agent {
    const usable = this.agents.filter((agent) => agent.isUsable)
    const free = usable.find((agent) => !agent.isBusy)
    if (free) return free
    if (usable.length < MOST) return this.start()
    return usable.reduce((best, agent) => (agent.outstanding < best.outstanding ? agent : best))
  }

  private start(): Agent {
    const { target, host, shell, usesTerminal } = this.connection
    const settings = {
      ...(target.path !== undefined && { path: expandedWord(target.path) }),
      ...(target.umask !== undefined && { umask: target.umask }),
    }
    // a shell whose input is a terminal would print prompts; cat would wait for the terminal's end, so it is ended with the shell
    const line = usesTerminal ? `cat | { ${shell}; kill -HUP $$; }` : `exec ${shell}`
    const agent = new Agent(this.connection.open(line), host, settings, () => {
      this.roundTrips++
    })
    this.agents.push(agent)
    return agent
  }

  request(text: string, options?: RequestOptions): Promise<Answer> {
    // a target that was lost stays lost: what was done there meanwhile is not known
    const lost = this.agents.find(({ failure }) => isSshError(failure, 'ConnectionLost'))
    return lost ? Promise.reject(lost.failure) : this.choose().request(text, options)
  }

  async close(): Promise<void> {
    await Promise.all(this.agents.map((agent) => agent.close()))
  }
}
