// Writes a bare repository object by object, so that its commits have the recorded ids on every machine and no program has to run.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { deflateSync } from 'node:zlib'
import type { FileSpec, Operation } from './case.ts'

interface Entry {
  mode: string
  id: string
}

/** The whole tree of a commit: path → entry. */
type Tree = ReadonlyMap<string, Entry>

interface Commit {
  id: string
  tree: Tree
}

const AUTHOR = 'Case Author <author@example.invalid>'
const FIRST_SECOND = 1_700_000_000
const MINUTE = 60
const DIRECTORY = '40000'

export class Repository {
  readonly path: string
  /** Label → commit id. */
  readonly shas: Record<string, string> = {}
  private readonly commits = new Map<string, Commit>()
  private readonly branches = new Map<string, Commit>()
  private count = 0

  constructor(path: string, head = 'master') {
    this.path = path
    for (const folder of ['objects', 'refs/heads', 'refs/tags']) mkdirSync(join(path, folder), { recursive: true })
    writeFileSync(join(path, 'config'), '[core]\n\trepositoryformatversion = 0\n\tbare = true\n')
    this.point(head)
  }

  apply(operations: readonly Operation[]): void {
    for (const operation of operations) this.perform(operation)
  }

  private perform(operation: Operation): void {
    const { commit, tag, branch, ref } = operation
    if (commit !== undefined) this.commit(commit, operation)
    else if (tag !== undefined) this.tag(tag, operation)
    else if (branch !== undefined) this.move(branch, this.at(operation.at))
    else if (ref !== undefined) this.writeRef(ref, this.at(operation.at).id)
    else if (operation.delete_branch !== undefined) this.deleteBranch(operation.delete_branch)
    else if (operation.delete_tag !== undefined) this.deleteRef(`refs/tags/${operation.delete_tag}`)
    else if (operation.head !== undefined) this.point(operation.head)
    else throw new Error(`No operation on a repository: ${JSON.stringify(operation)}`)
  }

  private point(branch: string): void {
    writeFileSync(join(this.path, 'HEAD'), `ref: refs/heads/${branch}\n`)
  }

  private at(label = ''): Commit {
    const found = this.commits.get(label) ?? this.branches.get(label)
    if (found === undefined) throw new Error(`No commit labelled '${label}'`)
    return found
  }

  private commit(label: string, { on = 'master', parent, ...change }: Operation): void {
    const before = parent === undefined ? this.branches.get(on) : parent === null ? undefined : this.at(parent)
    const tree = this.changed(before?.tree ?? new Map(), change)
    const by = `${AUTHOR} ${this.now()} +0000`
    const lines = [`tree ${this.writeTree(tree)}`, ...(before ? [`parent ${before.id}`] : [])]
    const text = `${[...lines, `author ${by}`, `committer ${by}`].join('\n')}\n\n${label}\n`
    this.count++
    const commit = { id: this.writeObject('commit', Buffer.from(text)), tree }
    this.commits.set(label, commit)
    this.shas[label] = commit.id
    this.move(on, commit)
  }

  private now(): number {
    return FIRST_SECOND + MINUTE * this.count
  }

  private changed(before: Tree, { wipe = false, rename = {}, files = {} }: Operation): Tree {
    const tree = new Map(wipe ? [] : before)
    for (const [from, to] of Object.entries(rename)) {
      for (const [path, entry] of [...tree]) {
        if (path !== from && !path.startsWith(`${from}/`)) continue
        tree.delete(path)
        tree.set(to + path.slice(from.length), entry)
      }
    }
    for (const [path, spec] of Object.entries(files)) {
      for (const other of [...tree.keys()]) {
        if (other === path || other.startsWith(`${path}/`) || path.startsWith(`${other}/`)) tree.delete(other)
      }
      if (spec !== null) tree.set(path, this.entryOf(spec))
    }
    return tree
  }

  private entryOf(spec: Exclude<FileSpec, null>): Entry {
    if (typeof spec === 'object' && 'submodule' in spec) return { mode: '160000', id: spec.submodule }
    const id = this.writeObject('blob', contentOf(spec))
    if (typeof spec === 'object' && 'link' in spec) return { mode: '120000', id }
    return { mode: typeof spec === 'object' && 'exec' in spec && spec.exec ? '100755' : '100644', id }
  }

  private tag(name: string, { at, annotated = false }: Operation): void {
    const { id } = this.at(at)
    const head = `object ${id}\ntype commit\ntag ${name}\ntagger ${AUTHOR} ${this.now()} +0000\n\n${name}\n`
    this.writeRef(`refs/tags/${name}`, annotated ? this.writeObject('tag', Buffer.from(head)) : id)
  }

  private move(branch: string, commit: Commit): void {
    this.branches.set(branch, commit)
    this.writeRef(`refs/heads/${branch}`, commit.id)
  }

  private deleteBranch(branch: string): void {
    this.branches.delete(branch)
    this.deleteRef(`refs/heads/${branch}`)
  }

  private writeRef(name: string, id: string): void {
    const file = join(this.path, name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, `${id}\n`)
  }

  /** Remove a ref, and the directories that only it was in. */
  private deleteRef(name: string): void {
    rmSync(join(this.path, name))
    for (let folder = dirname(name); folder.split('/').length > 2; folder = dirname(folder)) {
      if (readdirSync(join(this.path, folder)).length > 0) return
      rmdirSync(join(this.path, folder))
    }
  }

  private writeTree(tree: Tree): string {
    const children = new Map<string, Entry | Map<string, Entry>>()
    for (const [path, entry] of tree) {
      const [name = '', ...rest] = path.split('/')
      if (rest.length === 0) children.set(name, entry)
      else {
        const inside = (children.get(name) as Map<string, Entry> | undefined) ?? new Map<string, Entry>()
        children.set(name, inside.set(rest.join('/'), entry))
      }
    }
    const rows = [...children].map(([name, child]) =>
      child instanceof Map ? { name, mode: DIRECTORY, id: this.writeTree(child) } : { name, ...child },
    )
    // git sorts directories as if their names ended with a slash
    const key = ({ name, mode }: { name: string; mode: string }): Buffer =>
      Buffer.from(mode === DIRECTORY ? `${name}/` : name)
    rows.sort((one, other) => Buffer.compare(key(one), key(other)))
    const parts = rows.flatMap(({ name, mode, id }) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')])
    return this.writeObject('tree', Buffer.concat(parts))
  }

  private writeObject(type: string, content: Buffer): string {
    const whole = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content])
    const id = createHash('sha1').update(whole).digest('hex')
    const file = join(this.path, 'objects', id.slice(0, 2), id.slice(2))
    if (!existsSync(file)) {
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, deflateSync(whole, { level: 1 }), { mode: 0o444 })
    }
    return id
  }
}

/** Return the bytes of a file that is no submodule. */
export function contentOf(spec: Exclude<FileSpec, null>): Buffer {
  if (typeof spec === 'string') return Buffer.from(spec)
  if ('text' in spec) return Buffer.from(spec.text)
  if ('link' in spec) return Buffer.from(spec.link)
  if ('base64' in spec) return Buffer.from(spec.base64, 'base64')
  if ('repeat' in spec) return Buffer.from(spec.repeat.repeat(spec.times))
  throw new Error(`No content: ${JSON.stringify(spec)}`)
}
