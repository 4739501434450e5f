// A network for three masters that can be cut. The drill restarts itself in separate network and mount namespaces;
// there each master has a further namespace, with one address, on a bridge. A cut drops every packet between two
// masters silently, like a broken switch. Nothing of it can leave the machine, and everything ends with the last
// process.
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'

const INSIDE = 'BRINE_PRIVATE_NET'
/** The addresses of the masters. */
export const NET_ADDRESSES = ['10.77.0.1', '10.77.0.2', '10.77.0.3']
const OWN_ADDRESS = '10.77.0.254/24'

const run = (program: string, ...words: string[]): void => {
  execFileSync(program, words, { stdio: 'pipe' })
}

const nameOf = (address: string): string => `m${address.split('.').at(-1)}`

/** The words in front of a program that runs in the namespace of an address. */
export const inNetOf = (address: string): string[] => ['nsenter', `--net=/run/netns/${nameOf(address)}`]

/** Why this machine has no such network; undefined when it has. */
export function whyNoNet(): string | undefined {
  try {
    run(
      'unshare',
      '--net',
      '--mount',
      'sh',
      '-c',
      'mount -t tmpfs tmpfs /run && iptables -A INPUT -j DROP && nsenter --version',
    )
    return undefined
  } catch (error) {
    const { stderr, message } = error as { stderr?: Buffer; message: string }
    return `no network namespaces here: ${(stderr?.toString() || message).trim().split('\n')[0]}`
  }
}

export const isInside = (): boolean => process.env[INSIDE] === '1'

/** Restart this program in a separate network; resolves with its exit code. */
export function runInside(): Promise<number> {
  const words = ['--net', '--mount', process.execPath, ...process.execArgv, ...process.argv.slice(1)]
  const child = spawn('unshare', words, { stdio: 'inherit', env: { ...process.env, [INSIDE]: '1' } })
  const pass = (signal: NodeJS.Signals): void => void child.kill(signal)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, pass)
  return new Promise((done, fail) => {
    child.once('error', fail)
    child.once('exit', (code) => done(code ?? 1))
  })
}

/** Make the network; only inside. */
export function makeNet(): void {
  run('mount', '-t', 'tmpfs', 'tmpfs', '/run')
  mkdirSync('/run/netns', { recursive: true })
  run('ip', 'link', 'set', 'lo', 'up')
  run('ip', 'link', 'add', 'br0', 'type', 'bridge')
  run('ip', 'addr', 'add', OWN_ADDRESS, 'dev', 'br0')
  run('ip', 'link', 'set', 'br0', 'up')
  for (const address of NET_ADDRESSES) {
    const name = nameOf(address)
    const [enter = '', ...words] = inNetOf(address)
    run('ip', 'netns', 'add', name)
    run('ip', 'link', 'add', `v${name}`, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name)
    run('ip', 'link', 'set', `v${name}`, 'master', 'br0', 'up')
    run(enter, ...words, 'ip', 'link', 'set', 'lo', 'up')
    run(enter, ...words, 'ip', 'addr', 'add', `${address}/24`, 'dev', 'eth0')
    run(enter, ...words, 'ip', 'link', 'set', 'eth0', 'up')
  }
}

/** Cut a master off from the other masters; programs and minions still reach it. */
export function cutOff(address: string): void {
  for (const other of NET_ADDRESSES) {
    if (other === address) continue
    drop(address, other)
    drop(other, address)
  }
}

function drop(at: string, from: string): void {
  const [enter = '', ...words] = inNetOf(at)
  run(enter, ...words, 'iptables', '-A', 'INPUT', '-s', from, '-j', 'DROP')
}

/** Let every packet through again. */
export function healNet(): void {
  for (const address of NET_ADDRESSES) {
    const [enter = '', ...words] = inNetOf(address)
    run(enter, ...words, 'iptables', '-F', 'INPUT')
  }
}
