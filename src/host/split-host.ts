// A target whose functions run on another machine, the controller. Paths below one folder of the controller, its cache for this
// target, are files of the controller; all other paths are the target's. A command on the target that names such a file gets a copy
// of it, made the first time it is named and again when the file changed.
import { dirname } from 'node:path/posix'
import type { Command, FileRange, Host, WriteOptions } from './host.ts'

export interface SplitOptions {
  /** The folder of the controller: absolute, without a slash at its end. */
  folder: string
  controller: Host
  target: Host
}

/** Methods whose first argument is a path. */
const BY_PATH = [
  'stream',
  'write',
  'writeStream',
  'append',
  'writeAt',
  'truncate',
  'stat',
  'lstat',
  'fileSystem',
  'access',
  'list',
  'realPath',
  'makeDirectory',
  'chmod',
  'chown',
  'lchown',
  'readLink',
  'remove',
  'removeDirectory',
  'setTimes',
  'hash',
] as const satisfies ReadonlyArray<keyof Host>

export function splitHost({ folder, controller, target }: SplitOptions): Host {
  const isHere = (path: string): boolean => path === folder || path.startsWith(`${folder}/`)
  const sideOf = (path: string): Host => (isHere(path) ? controller : target)
  const staged = new StagedFiles({ folder, controller, target })
  const byPath = Object.fromEntries(
    BY_PATH.map((name) => [
      name,
      (path: string, ...rest: unknown[]) => {
        const side = sideOf(path)
        return (side[name] as (...args: unknown[]) => unknown).call(side, path, ...rest)
      },
    ]),
  )
  const between = async (source: string, path: string, options?: WriteOptions): Promise<void> => {
    await sideOf(path).writeStream(path, sideOf(source).stream(source), options)
  }
  const changes = {
    ...byPath,
    read: (path: string, range?: FileRange) => sideOf(path).read(path, range),
    copy: (source: string, path: string) =>
      isHere(source) === isHere(path) ? sideOf(path).copy(source, path) : between(source, path),
    link: (of: string, path: string) => sideOf(path).link(of, path),
    symlink: (to: string, path: string) => sideOf(path).symlink(to, path),
    rename: async (source: string, path: string) => {
      if (isHere(source) === isHere(path)) return sideOf(path).rename(source, path)
      const mode = (await sideOf(source).stat(source))?.mode
      await between(source, path, mode === undefined ? {} : { mode })
      await sideOf(source).remove(source)
    },
    tempFile: (options: { directory?: string } = {}) => sideOf(options.directory ?? '/').tempFile(options),
    tempDirectory: (options: { directory?: string } = {}) => sideOf(options.directory ?? '/').tempDirectory(options),
    run: async (command: Command) => target.run(await staged.within(command)),
    start: async (command: Command) => target.start(await staged.within(command)),
    settle: async () => {
      await controller.settle()
      await target.settle()
    },
  } satisfies Partial<Host>
  // members that the target has beyond the interface stay reachable
  return Object.assign(Object.create(target) as Host, changes)
}

/** Copies of the controller's files on the target, for commands that name them. */
class StagedFiles {
  private readonly options: SplitOptions
  private readonly copies = new Map<string, string>()
  private root: Promise<string> | undefined

  constructor(options: SplitOptions) {
    this.options = options
  }

  /** The command with the paths of copies in place of the controller's. */
  async within(command: Command): Promise<Command> {
    const { folder } = this.options
    if (!command.argv.some((word) => word.includes(folder)) && !command.cwd?.startsWith(folder)) return command
    const argv = await Promise.all(command.argv.map((word) => this.replaced(word)))
    return { ...command, argv, ...(command.cwd !== undefined && { cwd: await this.replaced(command.cwd) }) }
  }

  /** A word is such a path as a whole, or a line of a shell that names some. */
  private async replaced(word: string): Promise<string> {
    const { folder, controller } = this.options
    if (word.startsWith(`${folder}/`) && (await controller.stat(word))) return this.copyOf(word)
    const named = new Set(word.split(/[\s'"`\\;|&<>()$=,:]+/).filter((part) => part.startsWith(`${folder}/`)))
    let text = word
    for (const path of [...named].sort((one, other) => other.length - one.length)) {
      if (await controller.stat(path)) text = text.replaceAll(path, await this.copyOf(path))
    }
    return text
  }

  private async copyOf(path: string): Promise<string> {
    const { folder, controller, target } = this.options
    const stat = await controller.stat(path)
    this.root ??= target.tempDirectory({ prefix: '.brine-' })
    const copy = `${await this.root}${path.slice(folder.length)}`
    if (stat?.type === 'directory') {
      await target.makeDirectory(copy, { mode: 0o700, parents: true })
      for (const name of await controller.list(path)) await this.copyOf(`${path}/${name}`)
      return copy
    }
    const looks = `${stat?.size} ${stat?.mtime} ${stat?.inode}`
    if (this.copies.get(path) === looks) return copy
    await target.makeDirectory(dirname(copy), { mode: 0o700, parents: true })
    await target.writeStream(copy, controller.stream(path), { mode: (stat?.mode ?? 0o600) & 0o700 })
    this.copies.set(path, looks)
    return copy
  }
}
