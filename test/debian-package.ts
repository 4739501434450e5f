// A Debian package that tests need and the machine may lack. It is fetched with apt from a separate list, unpacked
// below `.brine`, and kept; nothing is installed.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const FOLDER = join(import.meta.dirname, '../.brine')
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg'

/** Where this machine has its packages from. */
function mirror(): string {
  const files = ['/etc/apt/sources.list', ...folderOf('/etc/apt/sources.list.d')].filter((file) => existsSync(file))
  const text = files.map((file) => readFileSync(file, 'utf8')).join('\n')
  return /https?:\/\/\S+\/debian\/?(?=\s)/.exec(text)?.[0] ?? 'http://deb.debian.org/debian'
}

const folderOf = (folder: string): string[] =>
  existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : []

/** Return the directory with the files of a package; throws when the package cannot be fetched. */
export function debianPackage(name: string, suite: string): string {
  const folder = join(FOLDER, name)
  if (existsSync(folder)) return folder
  const fresh = `${folder}.${process.pid}`
  try {
    for (const each of ['lists/partial', 'cache/archives/partial']) mkdirSync(join(fresh, each), { recursive: true })
    const list = join(fresh, `${suite}.sources`)
    writeFileSync(list, `Types: deb\nURIs: ${mirror()}\nSuites: ${suite}\nComponents: main\nSigned-By: ${KEYRING}\n`)
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
    run('apt-get', ...settings, 'download', name)
    const [archive = ''] = readdirSync(fresh).filter((file) => file.endsWith('.deb'))
    run('dpkg-deb', '-x', archive, 'unpacked')
    renameSync(join(fresh, 'unpacked'), folder)
    return folder
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}
