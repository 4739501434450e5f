// A `nats-server` for tests. Debian 12 has one that is too old; the package of Debian 13 runs there. It is fetched with apt from a list
// of its own, unpacked below `.brine`, and kept.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toError } from '../../src/base/mod.ts'

const FOLDER = join(import.meta.dirname, '../../.brine/nats-server')
const PROGRAM = join(FOLDER, 'usr/sbin/nats-server')
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg'

/** Where this machine has its packages from. */
function mirror(): string {
  const files = ['/etc/apt/sources.list', ...folderOf('/etc/apt/sources.list.d')].filter((file) => existsSync(file))
  const text = files.map((file) => readFileSync(file, 'utf8')).join('\n')
  return /https?:\/\/\S+\/debian\/?(?=\s)/.exec(text)?.[0] ?? 'http://deb.debian.org/debian'
}

const folderOf = (folder: string): string[] =>
  existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : []

/** The program, or the reason why this machine has none. */
export function natsServer(): { program: string } | { reason: string } {
  const given = process.env['NATS_SERVER']
  if (given !== undefined) return { program: given }
  if (existsSync(PROGRAM)) return { program: PROGRAM }
  const fresh = `${FOLDER}.${process.pid}`
  try {
    for (const folder of ['lists/partial', 'cache/archives/partial'])
      mkdirSync(join(fresh, folder), { recursive: true })
    const list = join(fresh, 'trixie.sources')
    writeFileSync(list, `Types: deb\nURIs: ${mirror()}\nSuites: trixie\nComponents: main\nSigned-By: ${KEYRING}\n`)
    const settings = [
      `Dir::Etc::sourcelist=${list}`,
      'Dir::Etc::sourceparts=/nonexistent',
      `Dir::State::lists=${join(fresh, 'lists')}`,
      `Dir::Cache=${join(fresh, 'cache')}`,
      'APT::Sandbox::User=root',
    ].flatMap((setting) => ['-o', setting])
    const run = (program: string, ...words: string[]): void => {
      execFileSync(program, words, { cwd: fresh, stdio: 'pipe', timeout: 120_000 })
    }
    run('apt-get', ...settings, 'update')
    run('apt-get', ...settings, 'download', 'nats-server')
    const [archive = ''] = readdirSync(fresh).filter((name) => name.endsWith('.deb'))
    run('dpkg-deb', '-x', archive, 'unpacked')
    rmSync(FOLDER, { recursive: true, force: true })
    renameSync(join(fresh, 'unpacked'), FOLDER)
    return { program: PROGRAM }
  } catch (error) {
    return { reason: `no nats-server 2.10.23 can be had: ${toError(error).message.split('\n')[0]}` }
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}
