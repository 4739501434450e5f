// A separate network namespace for tests that change interfaces and packet filters: the machine's is unchanged.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { type Command, type CommandResult, LocalHost } from '../../src/host/mod.ts'
import { canServe } from './servers.ts'

/** This machine, with each command run in a network namespace. */
class NamespaceHost extends LocalHost {
  private readonly name: string

  constructor(name: string) {
    super()
    this.name = name
  }

  override run(command: Command): Promise<CommandResult> {
    return super.run({ ...command, argv: ['ip', 'netns', 'exec', this.name, ...command.argv] })
  }
}

export interface NetworkNamespace {
  host: LocalHost
  /** Run a program in the namespace and return its output. */
  run(program: string, ...args: string[]): string
  /** Start a program in the namespace. */
  start(program: string, ...args: string[]): ChildProcess
  remove(): void
}

export function networkNamespace(): NetworkNamespace {
  const name = `brine-test-${process.pid}`
  execFileSync('ip', ['netns', 'add', name])
  return {
    host: new NamespaceHost(name),
    run: (...argv) => execFileSync('ip', ['netns', 'exec', name, ...argv], { encoding: 'utf8' }),
    start: (...argv) => spawn('ip', ['netns', 'exec', name, ...argv], { stdio: 'ignore' }),
    remove: () => execFileSync('ip', ['netns', 'delete', name]),
  }
}

/** Return whether this process can make a network namespace with packet filters in it; else say why not. */
export function canFilter(...programs: string[]): boolean {
  if (!canServe('packet filters', '/usr/sbin/ip', ...programs)) return false
  const namespace = `brine-try-${process.pid}`
  try {
    execFileSync('ip', ['netns', 'add', namespace], { stdio: 'ignore' })
  } catch {
    process.stderr.write('Skipping the tests with packet filters: no network namespace can be made\n')
    return false
  }
  try {
    execFileSync('ip', ['netns', 'exec', namespace, 'nft', 'add', 'table', 'ip', 'try'], { stdio: 'ignore' })
    return true
  } catch {
    process.stderr.write('Skipping the tests with packet filters: this kernel has no nftables\n')
    return false
  } finally {
    execFileSync('ip', ['netns', 'delete', namespace])
  }
}
