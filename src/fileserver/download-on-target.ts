// Downloads from web and FTP servers for a machine over SSH: the machine fetches the source itself with curl or wget,
// as a minion does. This works for servers that only the machine can reach, the content does not pass through the
// controller, and no text from the machine makes the controller send requests.
import { STATUS_CODES } from 'node:http'
import { option } from '../config/mod.ts'
import { type Dict, SaltError, urlParts } from '../data/mod.ts'
import type { Command, Host } from '../host/mod.ts'
import type { FetchOptions } from './file-client.ts'

const SCHEMES = new Set(['http', 'https', 'ftp'])

export interface Fetcher {
  name: 'curl' | 'wget'
  path: string
}

/** Return the program of a machine over SSH that can fetch such URLs; undefined if the controller must. */
export async function targetFetcher(host: Host, opts: Dict, url: string): Promise<Fetcher | 'missing' | undefined> {
  if (!host.remote || !host.sessionFolder || !SCHEMES.has(urlParts(url).scheme)) return undefined
  // the proxy of the options is the controller's
  if (option(opts, 'proxy_host')) return undefined
  const curl = await host.which('curl')
  if (curl !== undefined) return { name: 'curl', path: curl }
  const wget = await host.which('wget')
  // the wget of busybox knows no version, and takes URLs, which may hold secrets, only as arguments
  const isWhole = wget !== undefined && (await host.run({ argv: [wget, '--version'] })).retcode === 0
  return isWhole ? { name: 'wget', path: wget } : 'missing'
}

/** Fetch a URL to a path of the machine. If the fetch fails, a file at that path stays as it was. */
export async function downloadOnTarget(
  host: Host,
  fetcher: Fetcher,
  url: string,
  path: string,
  options: FetchOptions,
): Promise<void> {
  const part = await host.tempFile({ directory: path.slice(0, path.lastIndexOf('/')) || '/', prefix: '.fetched-' })
  try {
    const ran = await host.run(commandOf(fetcher, url, part, options))
    if (ran.retcode !== 0) throw failureOf(url, Buffer.from(ran.stdout).toString(), Buffer.from(ran.stderr).toString())
    await host.rename(part, path)
  } catch (error) {
    await host.remove(part).catch(() => {})
    throw error
  }
}

/** The URL goes over standard input: others on the machine can read arguments. */
function commandOf({ name, path: program }: Fetcher, url: string, path: string, { verifySsl }: FetchOptions): Command {
  const { href } = new URL(url)
  if (name === 'curl') {
    const limits = ['--proto', '=http,https,ftp', '--proto-redir', '=http,https', '--max-redirs', '10', '--globoff']
    const told = ['--silent', '--show-error', '--fail', '--location', '--write-out', '%{http_code}']
    const trust = verifySsl === false ? ['--insecure'] : []
    // href has neither quotes nor backslashes nor line breaks in it
    const stdin = `url = "${href}"\n`
    return { argv: [program, '-q', ...told, ...limits, ...trust, '--output', path, '--config', '-'], stdin }
  }
  const trust = verifySsl === false ? ['--no-check-certificate'] : []
  return { argv: [program, '-nv', ...trust, '--tries=1', '-O', path, '-i', '-'], stdin: `${href}\n` }
}

function failureOf(url: string, printed: string, said: string): SaltError {
  const status = Number(/^[45]\d\d$/.exec(printed)?.[0] ?? /\bERROR (\d{3})\b/.exec(said)?.[1] ?? 0)
  const reason = status > 0 ? `HTTP ${status}: ${STATUS_CODES[status] ?? ''}` : said.trim().split('\n').at(-1)
  return new SaltError('MinionError', `Error: ${reason} reading ${urlParts(url).path}`)
}
