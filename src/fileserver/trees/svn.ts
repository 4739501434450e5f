// A Subversion repository: the trunk is the environment base, each folder in branches and tags is an environment. Files
// are exported by revision; there is no working copy.
import { createHash } from 'node:crypto'
import { recover } from '../../base/mod.ts'
import { findXml, parseXml, type XmlElement } from '../../data/mod.ts'
import { parseTreeAddress, type TreeAddress } from './address.ts'
import { runTreeProgram, TreeError } from './program.ts'
import type { Tree, TreeSource } from './source.ts'

const SCHEMES = ['file', 'http', 'https', 'svn', 'svn+ssh']

/** svn's message for a path that is not in the repository. */
const IS_MISSING = /[WE]160013|non-existent in revision/

export interface SvnPlaces {
  trunk: string
  branches: string
  tags: string
}

export class SvnSource implements TreeSource {
  readonly isLocal = false
  private readonly text: string
  private readonly home: string
  private readonly places: SvnPlaces

  constructor(url: string, home: string, places: SvnPlaces) {
    this.text = url
    this.home = home
    this.places = places
  }

  async fetch(warn: (text: string) => void): Promise<Map<string, Tree>> {
    const address = parseTreeAddress(this.text, SCHEMES)
    const words = ['info', '--show-item', 'revision', '--no-newline', '--', `${address.url}@HEAD`]
    const head = (await this.svn(address, words)).trim()
    if (!/^\d+$/.test(head)) throw new TreeError('AnswerRefused', `svn names no revision but '${head.slice(0, 100)}'`)
    const trees = new Map<string, Tree>()
    const { trunk, branches, tags } = this.places
    for (const [what, path] of [
      ['tags', tags],
      ['branches', branches],
    ] as const) {
      const found = await this.foldersOf(address, path, head)
      if (found === undefined) warn(`svnfs ${what} path '${path}' does not exist in repo ${address.url}`)
      for (const [name, tree] of found ?? []) trees.set(name, tree)
    }
    // a branch of this name is never served: base is the trunk
    trees.delete('base')
    const base = await this.treeAt(address, trunk, head)
    if (base) trees.set('base', base)
    else
      warn(
        `svnfs trunk path '${trunk}' does not exist in repo ${address.url}, no base environment will be provided by this remote`,
      )
    return trees
  }

  async write({ path, revision }: Tree, folder: string): Promise<void> {
    const address = parseTreeAddress(this.text, SCHEMES)
    const words = [
      'export',
      '--quiet',
      '--ignore-externals',
      '-r',
      revision,
      '--',
      urlOf(address, path, revision),
      folder,
    ]
    await this.svn(address, words)
  }

  private async treeAt(address: TreeAddress, path: string, head: string): Promise<Tree | undefined> {
    const answer = await this.ask(address, ['info', '--xml', '-r', head, '--', urlOf(address, path, head)])
    const entry = answer && findXml(answer, 'entry')
    return entry?.attributes.get('kind') === 'dir' ? treeOf(entry, path) : undefined
  }

  private async foldersOf(address: TreeAddress, path: string, head: string): Promise<Map<string, Tree> | undefined> {
    const answer = await this.ask(address, ['list', '--xml', '-r', head, '--', urlOf(address, path, head)])
    const list = answer && findXml(answer, 'list')
    if (!list) return undefined
    const trees = new Map<string, Tree>()
    for (const entry of list.children) {
      if (typeof entry === 'string' || entry.attributes.get('kind') !== 'dir') continue
      const name = textOf(findXml(entry, 'name'))
      if (name === '' || name === '.' || name === '..' || name.includes('/')) continue
      trees.set(name, treeOf(entry, path === '' ? name : `${path}/${name}`))
    }
    return trees
  }

  /** The answer of svn in XML; undefined for a path that the repository does not have. */
  private async ask(address: TreeAddress, words: readonly string[]): Promise<XmlElement | undefined> {
    return recover(
      (error) => error instanceof TreeError && IS_MISSING.test(error.message),
      undefined,
      async () => parseXml(await this.svn(address, words)),
    )
  }

  private svn({ user, password }: TreeAddress, [command = '', ...words]: readonly string[]): Promise<string> {
    const login = [...(user === '' ? [] : ['--username', user]), ...(password === '' ? [] : ['--password-from-stdin'])]
    return runTreeProgram({
      argv: ['svn', command, '--non-interactive', '--no-auth-cache', ...login, ...words],
      cwd: this.home,
      stdin: password,
      secrets: [password, encodeURIComponent(password)],
    })
  }
}

/** The revision behind the last at sign is always given, so one in a name cannot be taken for it. */
const urlOf = ({ url }: TreeAddress, path: string, revision: string): string =>
  `${[url, ...path.split('/').filter(Boolean).map(encodeURIComponent)].join('/')}@${revision}`

function treeOf(entry: XmlElement, path: string): Tree {
  const revision = findXml(entry, 'commit')?.attributes.get('revision') ?? ''
  if (!/^\d+$/.test(revision)) throw new TreeError('AnswerRefused', `svn names no revision of '${path}'`)
  return { id: `r${revision}-${createHash('sha256').update(path).digest('hex').slice(0, 32)}`, revision, path }
}

const textOf = (element: XmlElement | undefined): string =>
  (element?.children ?? []).filter((child) => typeof child === 'string').join('')
