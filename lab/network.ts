// A network of the lab's own: a namespace with a bridge in it, to which hosts are plugged. The machine's own network
// is not touched. Address 1 is the bridge's, from which the lab itself reaches hosts with `within`.
import { attempt, run } from './command.ts'
import { isLeftover, OWN_NAME } from './owner.ts'

const SUBNET = '10.77.0'
const BRIDGE = 'br0'

export class Network {
  readonly bridge = BRIDGE
  readonly #name: string
  readonly #taken = new Set([1])

  private constructor(name: string) {
    this.#name = name
  }

  static async create(): Promise<Network> {
    const network = new Network(OWN_NAME)
    await run(['ip', 'netns', 'add', OWN_NAME])
    const ip = (...args: string[]) => run(['ip', '-n', OWN_NAME, ...args])
    await ip('link', 'set', 'lo', 'up')
    await ip('link', 'add', BRIDGE, 'type', 'bridge')
    await ip('address', 'add', `${SUBNET}.1/24`, 'dev', BRIDGE)
    await ip('link', 'set', BRIDGE, 'up')
    return network
  }

  /** Removes the networks of labs that are gone. */
  static async removeLeftovers(): Promise<void> {
    const listed = await run(['ip', 'netns', 'list'])
    for (const line of listed.split('\n')) {
      const name = line.split(' ')[0]!
      if (isLeftover(name)) await run(['ip', 'netns', 'delete', name])
    }
  }

  /** The lowest free address. */
  takeAddress(): string {
    let number = 1
    while (this.#taken.has(number)) number++
    this.#taken.add(number)
    return `${SUBNET}.${number}`
  }

  release(address: string): void {
    this.#taken.delete(Number(address.split('.').at(-1)))
  }

  /** The command that runs `argv` in this network and otherwise on the machine; `ip netns exec` would hide its cgroups. */
  within(argv: string[]): string[] {
    return ['nsenter', `--net=/run/netns/${this.#name}`, ...argv]
  }

  /** Gives the host of this process its address. */
  async address(pid: number, address: string): Promise<void> {
    const ip = (...args: string[]) => run(['nsenter', '-t', String(pid), '--net', 'ip', ...args])
    await ip('address', 'replace', `${address}/24`, 'dev', 'host0')
    await ip('link', 'set', 'host0', 'up')
  }

  /** Pulls or plugs a host's cable. */
  async plug(host: string, how: 'up' | 'down'): Promise<void> {
    await run(['ip', '-n', this.#name, 'link', 'set', `vb-${host}`, how])
  }

  async remove(): Promise<void> {
    await attempt(['ip', 'netns', 'delete', this.#name])
  }
}
