// The content of each package. Only files without another owner: no configuration, no keys, nothing below /etc/salt but
// directories.
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { debianChangelog } from './changelog.ts'
import { placeModules } from './modules.ts'
import { type Built, programNames } from './programs.ts'
import { type PackageName, unitOf } from './relations.ts'
import type { Architecture, Release } from './target.ts'

export type Format = 'deb' | 'rpm'

/** Where systems with the format expect files. Salt's packages have their units in the same places. */
const PLACES = {
  deb: { units: 'lib/systemd/system', zsh: 'usr/share/zsh/vendor-completions' },
  rpm: { units: 'usr/lib/systemd/system', zsh: 'usr/share/zsh/site-functions' },
}

export interface Making {
  root: string
  format: Format
  architecture: Architecture
  release: Release
  built: Built
}

/** Directories that the programs use. dpkg leaves owner and mode of one that exists alone. */
const FOLDERS: Readonly<Record<PackageName, string[]>> = {
  brine: ['etc/salt', 'etc/salt/pki', 'var/cache/salt', 'var/log/salt'],
  'brine-master': ['etc/salt/master.d'],
  'brine-minion': ['etc/salt/minion.d'],
  'brine-api': [],
  'brine-syndic': [],
}

class Tree {
  readonly folder: string

  constructor(folder: string) {
    this.folder = folder
  }

  write(path: string, content: string | Buffer, mode = 0o644): void {
    const file = this.#made(path)
    writeFileSync(file, content)
    chmodSync(file, mode)
  }

  /** Write a file compressed, without a name or time in it. */
  compress(path: string, content: string | Buffer): void {
    const packed = gzipSync(content, { level: 9 })
    // the system that compressed, which zlib notes
    packed[9] = 3
    this.write(`${path}.gz`, packed)
  }

  copy(from: string, to: string, mode?: number): void {
    cpSync(from, this.#made(to), { recursive: true })
    if (mode !== undefined) chmodSync(join(this.folder, to), mode)
  }

  link(path: string, target: string): void {
    symlinkSync(target, this.#made(path))
  }

  directory(path: string): void {
    mkdirSync(join(this.folder, path), { recursive: true, mode: 0o755 })
  }

  #made(path: string): string {
    this.directory(dirname(path))
    return join(this.folder, path)
  }
}

/** Lay out a package in a folder. */
export async function layOut(name: PackageName, making: Making, folder: string): Promise<void> {
  const { root, format } = making
  const tree = new Tree(folder)
  for (const each of FOLDERS[name]) tree.directory(each)
  const unit = unitOf(name)
  if (unit !== undefined) tree.copy(join(root, 'packaging', 'units', unit), `${PLACES[format].units}/${unit}`, 0o644)
  if (name === 'brine') await layOutPrograms(tree, making)
  documents(tree, name, making)
  evenModes(folder)
}

/** Set modes that do not depend on the umask of the packager. */
function evenModes(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isDirectory()) chmodSync(path, 0o755)
    else if (entry.isFile()) chmodSync(path, statSync(path).mode & 0o111 ? 0o755 : 0o644)
  }
}

async function layOutPrograms(tree: Tree, { root, format, architecture, built }: Making): Promise<void> {
  const [home, packaging] = ['usr/lib/brine', join(root, 'packaging')]
  const isProgram = (file: string): boolean => !['man', 'completion', 'types'].includes(file)
  for (const file of readdirSync(built.dist).filter(isProgram))
    tree.copy(join(built.dist, file), `${home}/dist/${file}`)
  tree.copy(join(built.node, 'bin', 'node'), `${home}/bin/node`, 0o755)
  tree.copy(join(packaging, 'restart-idle-minion'), `${home}/restart-idle-minion`, 0o755)
  if (format === 'deb') tree.copy(join(packaging, 'supervise-upgrade'), `${home}/supervise-upgrade`, 0o755)
  for (const file of ['master', 'minion', 'logrotate'])
    tree.copy(join(packaging, 'conf', file), `usr/share/brine/conf/${file}`, 0o644)
  for (const program of programNames(built.dist)) tree.link(`usr/bin/${program}`, `../lib/brine/dist/${program}.js`)
  const licenses = 'usr/share/doc/brine/licenses'
  tree.compress(`${licenses}/node`, readFileSync(join(built.node, 'LICENSE')))
  await placeModules(root, architecture, join(tree.folder, home), join(tree.folder, licenses))
  manuals(tree, sourceOf('man', root, built))
  completions(tree, sourceOf('completion', root, built), format)
}

/** Return the output of the build, else the files in dist/ of the project. */
function sourceOf(folder: string, root: string, { dist }: Built): string {
  const made = join(dist, folder)
  return existsSync(made) ? made : join(root, 'dist', folder)
}

function filesOf(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).sort() : []
}

/** Manual pages by their sections: `salt.1` and so on. */
function manuals(tree: Tree, folder: string): void {
  for (const file of filesOf(folder)) {
    const section = extname(file).slice(1)
    if (/^[1578]$/.test(section)) tree.compress(`usr/share/man/man${section}/${file}`, readFileSync(join(folder, file)))
  }
}

/** Completions of shells: a folder for each. */
function completions(tree: Tree, folder: string, format: Format): void {
  const places: Record<string, string> = {
    bash: 'usr/share/bash-completion/completions',
    zsh: PLACES[format].zsh,
    fish: 'usr/share/fish/vendor_completions.d',
  }
  for (const [shell, place] of Object.entries(places)) {
    for (const file of filesOf(join(folder, shell)))
      tree.copy(join(folder, shell, file), `${place}/${basename(file)}`, 0o644)
  }
  // the script and the index that all shells use
  for (const file of filesOf(folder).filter((each) => !(each in places)))
    tree.copy(join(folder, file), `usr/share/brine/completion/${file}`)
}

function documents(tree: Tree, name: PackageName, { root, format, release }: Making): void {
  const place = `usr/share/doc/${name}`
  const packaging = join(root, 'packaging')
  const changes = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
  tree.copy(join(packaging, 'copyright'), `${place}/copyright`, 0o644)
  tree.copy(join(packaging, 'README'), `${place}/README.${format === 'deb' ? 'Debian' : 'packages'}`, 0o644)
  if (format === 'rpm' && name !== 'brine') return
  tree.compress(`${place}/changelog`, changes)
  if (format !== 'deb') return
  tree.compress(`${place}/changelog.Debian`, debianChangelog(changes, release))
  const overrides = join(packaging, 'lintian', name)
  if (existsSync(overrides)) tree.copy(overrides, `usr/share/lintian/overrides/${name}`, 0o644)
}
