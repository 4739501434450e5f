// A Mercurial repository: branches, bookmarks and tags are environments. All changesets are pulled into a repository
// without a working copy below the cache, and files are written from there on request.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path/posix'
import { makeOwnFolder, writeWhole } from '../../base/mod.ts'
import { parseTreeAddress, type TreeAddress } from './address.ts'
import { runTreeProgram, TreeError } from './program.ts'
import type { Tree, TreeSource } from './source.ts'

const SCHEMES = ['', 'file', 'http', 'https', 'ssh']

/** hg's message after a process was killed during a change. */
const ABANDONED = /abandoned transaction found/

export const BRANCH_METHODS = ['branches', 'bookmarks', 'mixed'] as const

export interface HgPlaces {
  /** The branch or bookmark that is the environment base. */
  base: string
  method: string
}

export class HgSource implements TreeSource {
  readonly isLocal = true
  private readonly text: string
  private readonly home: string
  private readonly places: HgPlaces

  constructor(url: string, home: string, places: HgPlaces) {
    this.text = url
    this.home = home
    this.places = places
  }

  private get clone(): string {
    return join(this.home, 'hg')
  }

  async fetch(): Promise<Map<string, Tree>> {
    const address = parseTreeAddress(this.text, SCHEMES)
    makeOwnFolder(this.home)
    if (!existsSync(join(this.clone, '.hg', 'requires'))) {
      makeOwnFolder(this.clone)
      await this.hg(['init', '--', this.clone], address)
    }
    await this.pull(address)
    const { base, method } = this.places
    const trees = new Map<string, Tree>()
    const add = (pairs: ReadonlyArray<readonly [string, string]>): void => {
      for (const [name, node] of pairs) {
        // `base` is served only from the configured name
        if (name === base || name !== 'base')
          trees.set(name === base ? 'base' : name, { id: node, revision: node, path: '' })
      }
    }
    // of one name a branch counts before a bookmark, and that before a tag
    add((await this.named('tags', 'tag')).filter(([name]) => name !== 'tip'))
    if (method !== 'branches') add(await this.bookmarks(address))
    if (method !== 'bookmarks') add(await this.named('branches', 'branch'))
    return trees
  }

  /** Pull, after recovering from an interrupted pull. */
  private async pull(address: TreeAddress): Promise<void> {
    const words = ['pull', '--quiet', '--', address.url]
    try {
      await this.hg(words, address)
    } catch (error) {
      if (!(error instanceof TreeError) || !ABANDONED.test(error.message)) throw error
      await this.hg(['recover', '--quiet'])
      await this.hg(words, address)
    }
  }

  async write({ revision }: Tree, folder: string): Promise<void> {
    await this.hg(['archive', '--quiet', '--type', 'files', '--rev', revision, '--', folder])
  }

  private async named(command: string, field: string): Promise<Array<[string, string]>> {
    const lines = (await this.hg([command, '--template', `{node} {${field}}\\n`])).split('\n')
    return lines.flatMap((line) => {
      const [, node, name] = /^([0-9a-f]{40,64}) (.+)$/.exec(line) ?? []
      return node === undefined ? [] : [[name!, node] as [string, string]]
    })
  }

  /** Return the bookmarks of the server: a pull does not remove deleted ones. */
  private async bookmarks(address: TreeAddress): Promise<Array<[string, string]>> {
    const lines = (await this.hg(['debugpushkey', '--', address.url, 'bookmarks'], address)).split('\n')
    return lines.flatMap((line) => {
      const [, name, node] = /^(.+)\t([0-9a-f]{40,64})$/.exec(line) ?? []
      return name === undefined ? [] : [[name, node!] as [string, string]]
    })
  }

  /** Run hg. It reads its usual configuration files, in which users keep logins and certificates, and then Brine's. */
  private hg(words: readonly string[], address?: TreeAddress): Promise<string> {
    const own = join(this.home, address ? 'hgrc-remote' : 'hgrc')
    writeIfOther(own, settings(address))
    const config = process.env['XDG_CONFIG_HOME'] ?? join(process.env['HOME'] ?? '/root', '.config')
    const usual = ['/etc/mercurial/hgrc', '/etc/mercurial/hgrc.d', join(process.env['HOME'] ?? '/root', '.hgrc')]
    return runTreeProgram({
      argv: ['hg', '--noninteractive', ...words],
      cwd: this.clone,
      env: {
        HGPLAIN: '+strictflags',
        HGENCODING: 'UTF-8',
        HGRCPATH: [...usual, join(config, 'hg', 'hgrc'), own].join(':'),
      },
      secrets: address ? [address.password, encodeURIComponent(address.password)] : [],
    })
  }
}

function writeIfOther(path: string, text: string): void {
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return
  writeWhole(path, text)
}

/** A login is in this file alone, which only its owner can read. */
function settings(address: TreeAddress | undefined): string {
  const lines = ['[ui]', 'archivemeta = false', 'interactive = false', '[subrepos]', 'allowed = false']
  if (address && address.user !== '' && /^https?:/.test(address.url))
    lines.push(
      '[auth]',
      `brine.prefix = ${address.url.replace(/^https?:\/\//, '')}`,
      'brine.schemes = http https',
      `brine.username = ${address.user}`,
      `brine.password = ${address.password}`,
    )
  return `${lines.join('\n')}\n`
}
