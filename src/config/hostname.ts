// The name of this machine as Salt guesses it for a minion id: a fully qualified name if possible, then the plain host
// name, then the names in /etc/hostname and /etc/hosts, then an address; never a name of the loopback.
import { readFileSync } from 'node:fs'
import { hostname, networkInterfaces } from 'node:os'

const LOOPBACK = /^(?:localhost|ip6-|127[.]\d|0\.0\.0\.0|::1|ipv6-|fe00::|fe02::|1.0.0.*.ip6.arpa)/

const NAME_FILES = ['/etc/hostname', '/etc/nodename', '/etc/hosts']

export async function guessHostname(): Promise<string> {
  const host = hostname()
  const candidates = [await fullName(host), host, ...namesInFiles(), ...addresses()]
  return candidates.find((name) => name !== '' && !LOOPBACK.test(name)) ?? 'localhost'
}

/** Python's socket.getfqdn: the first name with a dot among the names of the host's address. */
async function fullName(host: string): Promise<string> {
  try {
    const { lookup, reverse } = await import('node:dns/promises')
    const { address } = await lookup(host)
    const names = hostsEntry(address) ?? (await reverse(address))
    return names.find((name) => name.includes('.')) ?? names[0] ?? host
  } catch {
    // a machine without a name service goes by its plain name
    return host
  }
}

function hostsEntry(address: string): string[] | undefined {
  const words = wordsOf('/etc/hosts').find(([first]) => first === address)
  return words?.slice(1)
}

function namesInFiles(): string[] {
  return NAME_FILES.flatMap((file) =>
    wordsOf(file).flatMap((words) => (words.length === 1 || /^(127\.|::1)/.test(words[0]!) ? words : [])),
  )
}

/** Return the words of each line without comments; empty if the file does not exist. */
function wordsOf(file: string): string[][] {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    return []
  }
  const lines = text.split('\n').map((line) => line.replace(/#.*/, '').trim())
  return lines.filter((line) => line !== '').map((line) => line.split(/\s+/))
}

function addresses(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .filter((entry) => entry.family === 'IPv4' && !entry.internal)
    .map((entry) => entry.address)
}
