// A docker program that only remembers: enough of its commands, in the words of version 28, to try states on.
import { MemoryHost } from '../../src/host/mod.ts'

interface Container {
  Id: string
  Name: string
  Image: string
  State: { Running: boolean; Paused: boolean; Pid: number }
  Config: Record<string, unknown>
  HostConfig: Record<string, unknown>
  NetworkSettings: { Networks: Record<string, unknown> }
}

class Refusal extends Error {}

const flagsOf = (words: string[]): [flags: string[], rest: string[]] => {
  const first = words.findIndex((word) => !word.startsWith('--'))
  return first < 0 ? [words, []] : [words.slice(0, first), words.slice(first)]
}

export class DockerEngine {
  readonly images = new Map<string, string>()
  readonly containers = new Map<string, Container>()
  readonly networks = new Map<string, { Name: string; Driver: string; Containers: Record<string, { Name: string }> }>()
  readonly volumes = new Map<string, { Name: string; Driver: string }>()
  private made = 0

  constructor() {
    this.networks.set('bridge', { Name: 'bridge', Driver: 'bridge', Containers: {} })
  }

  host(): Promise<MemoryHost> {
    return MemoryHost.with({
      files: { '/usr/bin/docker': { text: '', mode: 0o755 } },
      commands: [({ argv }) => this.answer(argv.slice(1))],
    })
  }

  private answer(words: readonly string[]) {
    try {
      return { stdout: `${this.command(...(words as [string, ...string[]]))}\n` }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return { retcode: 1, stderr: `Error response from daemon: ${error.message}\n` }
    }
  }

  private command(verb: string, ...words: string[]): string {
    const [flags, rest] = flagsOf(words)
    const actions: Record<string, () => string> = {
      create: () => this.create(flags, rest),
      pull: () => this.pull(rest[0]!),
      start: () => this.set(rest[0]!, true),
      stop: () => this.set(rest[0]!, false),
      kill: () => (flags.length > 0 ? rest[0]! : this.set(rest[0]!, false)),
      rename: () => {
        this.find(rest[0]!).Name = `/${rest[1]}`
        return ''
      },
      rm: () => {
        this.containers.delete(this.find(rest[0]!).Id)
        return rest[0]!
      },
      rmi: () => {
        this.images.delete(rest[0]!)
        return `Untagged: ${rest[0]}`
      },
      container: () => this.about('container', words),
      image: () => this.about('image', words),
      network: () => this.network(words),
      volume: () => this.volume(words),
    }
    const action = actions[verb]
    if (!action) throw new Error(`The simulated docker knows no ${verb}`)
    return action()
  }

  private find(name: string): Container {
    const found = [...this.containers.values()].find(({ Id, Name }) => Id === name || Name === `/${name}`)
    if (!found) throw new Refusal(`No such container: ${name}`)
    return found
  }

  private imageId(name: string): string {
    const full = name.includes(':') ? name : `${name}:latest`
    const id = this.images.get(full) ?? [...this.images.values()].find((each) => each === name)
    if (id === undefined) throw new Refusal(`No such image: ${full}`)
    return id
  }

  private pull(name: string): string {
    if (name.startsWith('missing')) throw new Refusal(`manifest for ${name} not found`)
    this.images.set(name.includes(':') ? name : `${name}:latest`, `sha256:${name}`)
    return `abcdef012345: Pull complete\nStatus: Downloaded newer image for ${name}`
  }

  private create(flags: string[], [image, ...command]: string[]): string {
    const id = `id${++this.made}`
    const name = flags.find((flag) => flag.startsWith('--name='))?.slice(7) ?? `happy_${id}`
    const of = (flag: string): string[] =>
      flags.filter((each) => each.startsWith(`${flag}=`)).map((each) => each.slice(flag.length + 1))
    this.containers.set(id, {
      Id: id,
      Name: `/${name}`,
      Image: this.imageId(image!),
      State: { Running: false, Paused: false, Pid: 0 },
      Config: { Hostname: id, Env: of('--env'), Cmd: command.length > 0 ? command : null, Image: image },
      HostConfig: { Binds: of('--volume'), RestartPolicy: of('--restart')[0] ?? 'no' },
      NetworkSettings: { Networks: { bridge: { Aliases: null, IPAMConfig: null } } },
    })
    return id
  }

  private set(name: string, running: boolean): string {
    this.find(name).State.Running = running
    return name
  }

  private about(kind: string, [verb, ...words]: string[]): string {
    const names = words.filter((word) => !word.startsWith('--') && !word.startsWith('{{'))
    if (kind === 'container') {
      if (verb === 'inspect') return JSON.stringify([this.find(names[0]!)])
      return [...this.containers.values()].map(({ Name }) => Name.slice(1)).join('\n')
    }
    if (verb === 'ls') {
      return words.includes('--quiet') ? [...this.images.values()].join('\n') : [...this.images.keys()].join('\n')
    }
    const facts = (name: string) => {
      const id = this.imageId(name)
      return { Id: id, RepoTags: [...this.images].filter(([, each]) => each === id).map(([tag]) => tag) }
    }
    return JSON.stringify(names.map(facts))
  }

  private network([verb, ...words]: string[]): string {
    const [flags, rest] = flagsOf(words)
    const known = (name: string) => {
      const found = this.networks.get(name)
      if (!found) throw new Refusal(`network ${name} not found`)
      return { ...found, Id: `net-${name}`, IPAM: { Driver: 'default', Config: [] }, Options: {} }
    }
    if (verb === 'ls') return [...this.networks.keys()].join('\n')
    if (verb === 'inspect') return JSON.stringify(rest.map(known))
    const driver = flags.find((flag) => flag.startsWith('--driver='))?.slice(9) ?? 'bridge'
    if (verb === 'create') this.networks.set(rest[0]!, { Name: rest[0]!, Driver: driver, Containers: {} })
    if (verb === 'rm') this.networks.delete(known(rest[0]!).Name)
    const member = verb === 'connect' || verb === 'disconnect' ? this.find(rest[1]!) : undefined
    if (verb === 'connect') member!.NetworkSettings.Networks[rest[0]!] = { Aliases: null, IPAMConfig: null }
    if (verb === 'disconnect') delete member!.NetworkSettings.Networks[rest[0]!]
    return rest[0] ?? ''
  }

  private volume([verb, ...words]: string[]): string {
    const [flags, rest] = flagsOf(words)
    if (verb === 'ls') return [...this.volumes.keys()].join('\n')
    if (verb === 'inspect') return JSON.stringify(rest.map((name) => this.volumes.get(name)))
    const driver = flags.find((flag) => flag.startsWith('--driver='))?.slice(9) ?? 'local'
    if (verb === 'create') this.volumes.set(rest[0]!, { Name: rest[0]!, Driver: driver })
    if (verb === 'rm') this.volumes.delete(rest[0]!)
    return rest[0] ?? ''
  }
}
