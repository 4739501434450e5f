// The repository that hosts install from without a network: what apt would fetch to install the named packages on the
// root, downloaded once, with the index that a `file:` source needs.
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { cached } from './cache.ts'
import { run } from './command.ts'
import type { Debian } from './debian.ts'
import { type Relabelled, relabel } from './relabel.ts'

/** What hosts can install. */
export interface Stock {
  names: string[]
  /** Packages that are offered in a further version too, which Debian has not. */
  relabelled: Relabelled[]
}

const TEN_MINUTES = 600_000

export function packageRepository(from: Debian, root: string, stock: Stock): Promise<string> {
  return cached('packages', { from, root: basename(root), stock }, async (folder) => {
    const state = join(folder, 'apt')
    const archives = join(state, 'archives')
    await download(from, root, state, archives, stock.names)
    for (const file of readdirSync(archives).filter((name) => name.endsWith('.deb'))) {
      // apt's archives have the colon of an epoch escaped, which a file: address would read as an escape of its own
      renameSync(join(archives, file), join(folder, file.replace('%3a', '-')))
    }
    rmSync(state, { recursive: true })
    for (const package_ of stock.relabelled) await relabel(folder, package_)
    const index = await packagesIndex(folder)
    writeFileSync(join(folder, 'Packages'), index)
    writeFileSync(join(folder, 'Release'), releaseOf({ Packages: index }))
  })
}

/** Lets apt decide what the root lacks, with settings and state of its own: this machine's stay as they are. */
async function download(from: Debian, root: string, state: string, archives: string, names: string[]): Promise<void> {
  for (const path of ['lists/partial', 'archives/partial']) mkdirSync(join(state, path), { recursive: true })
  const sources = join(state, 'sources.list')
  writeFileSync(sources, `deb ${from.mirror} ${from.suite} main\n`)
  const options = {
    'Dir::Etc::sourcelist': sources,
    'Dir::Etc::sourceparts': '/dev/null',
    'Dir::Etc::preferencesparts': '/dev/null',
    'Dir::State': state,
    'Dir::State::lists': join(state, 'lists'),
    'Dir::State::extended_states': join(state, 'extended_states'),
    'Dir::State::status': join(root, 'var/lib/dpkg/status'),
    'Dir::Cache': state,
    'Dir::Cache::archives': archives,
    'APT::Architecture': from.architecture,
    'APT::Install-Recommends': 'false',
    'APT::Sandbox::User': 'root',
    'Acquire::Languages': 'none',
    'Debug::NoLocking': 'true',
  }
  const apt = ['apt-get', '-q', '-y', ...Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`])]
  await run([...apt, 'update'], { timeout: TEN_MINUTES })
  await run([...apt, 'install', '--download-only', ...names], { timeout: TEN_MINUTES })
}

/** The index of the packages in a folder, or of some: their own control fields and how to know the file. */
export async function packagesIndex(folder: string, { prefix = './', offered = /./ } = {}): Promise<string> {
  const entries: string[] = []
  for (const file of readdirSync(folder).sort()) {
    if (!file.endsWith('.deb') || !offered.test(file)) continue
    const control = await run(['dpkg-deb', '--field', join(folder, file)])
    const content = readFileSync(join(folder, file))
    entries.push(`${control.trim()}\nFilename: ${prefix}${file}\nSize: ${content.length}\nSHA256: ${sha256(content)}\n`)
  }
  return entries.join('\n')
}

/** The file that vouches for indexes, by their path beside it; without one apt guesses at names and complains. */
export function releaseOf(indexes: Record<string, string>, fields: Record<string, string> = {}): string {
  const head = Object.entries({ ...fields, Date: new Date().toUTCString() }).map(([name, value]) => `${name}: ${value}`)
  const sums = Object.entries(indexes).map(([path, text]) => ` ${sha256(text)} ${Buffer.byteLength(text)} ${path}`)
  return [...head, 'SHA256:', ...sums, ''].join('\n')
}

const sha256 = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex')
