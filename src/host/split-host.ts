// A target whose functions run on another machine, the controller. Paths below one folder of the controller, its cache
// for this target, are files of the controller; all other paths are the target's. A command on the target that names
// such a file gets a copy of it, made at the first use and again when the file changed.
import { dirname, normalize, relative } from 'node:path/posix'
import { isAskedByTarget } from '../base/mod.ts'
import { systemError } from './errors.ts'
import type { Command, FileRange, Host, WriteOptions } from './host.ts'
import { isWithin } from './within.ts'

export interface SplitOptions {
  /** The folder of the controller: absolute, without a slash at its end. */
  folder: string
  controller: Host
  target: Host
}

/** Methods that look at the path of their first argument. */
const LOOKING = [
  'stream',
  'stat',
  'lstat',
  'fileSystem',
  'access',
  'list',
  'realPath',
  'readLink',
  'hash',
] as const satisfies ReadonlyArray<keyof Host>

/** Methods that change the path of their first argument. */
const CHANGING = [
  'write',
  'writeStream',
  'append',
  'writeAt',
  'truncate',
  'makeDirectory',
  'chmod',
  'chown',
  'lchown',
  'remove',
  'removeDirectory',
  'setTimes',
] as const satisfies ReadonlyArray<keyof Host>

/** Names in the folder of the controller that only the controller changes. */
const KEPT = /^(?:extmods|reads|machine|proc|contacted(?:-[^/]*)?)(?:\/|$)/

export function splitHost({ folder, controller, target }: SplitOptions): Host {
  const isHere = (path: string): boolean => isBelow(path, folder)
  const sideOf = (path: string): Host => (isHere(path) ? controller : target)
  /** Return the host that changes a path; modules on the target must not change files of this machine. */
  const changed = (path: string): Host => {
    if (isHere(path) && (isAskedByTarget() || isOfSession(path))) throw systemError('EACCES', path)
    return sideOf(path)
  }
  /**
   * Users' modules, which run here, and the files of the session itself: functions of a target must not change them.
   */
  const isOfSession = (path: string): boolean => KEPT.test(relative(folder, path))
  const staged = new StagedFiles({ folder, controller, target })
  const byPath = Object.fromEntries(
    [...LOOKING, ...CHANGING].map((name) => [
      name,
      (path: string, ...rest: unknown[]) => {
        const side = CHANGING.some((other) => other === name) ? changed(path) : sideOf(path)
        return (side[name] as (...args: unknown[]) => unknown).call(side, path, ...rest)
      },
    ]),
  )
  const between = async (source: string, path: string, options?: WriteOptions): Promise<void> => {
    await changed(path).writeStream(path, sideOf(source).stream(source), options)
  }
  const changes = {
    ...byPath,
    read: (path: string, range?: FileRange) => sideOf(path).read(path, range),
    copy: async (source: string, path: string) =>
      isHere(source) === isHere(path) ? changed(path).copy(source, path) : between(source, path),
    // a link in the folder would lead functions of the target to any file of the controller
    link: async (of: string, path: string) => {
      const side = changed(path)
      if (isHere(of) !== isHere(path)) throw systemError('EXDEV', of, path)
      await side.link(of, path)
    },
    symlink: async (to: string, path: string) => {
      const side = changed(path)
      if (isHere(path)) throw systemError('EPERM', to, path)
      await side.symlink(to, path)
    },
    rename: async (source: string, path: string) => {
      if (isHere(source) === isHere(path)) return changed(path).rename(source, path)
      const mode = (await sideOf(source).stat(source))?.mode
      await between(source, path, mode === undefined ? {} : { mode })
      await changed(source).remove(source)
    },
    tempFile: async (options: { directory?: string } = {}) => changed(options.directory ?? '/').tempFile(options),
    tempDirectory: async (options: { directory?: string } = {}) =>
      changed(options.directory ?? '/').tempDirectory(options),
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

/** Whether a path is the folder or below it; a path with `..` that leaves the folder belongs to the target. */
function isBelow(path: string, folder: string): boolean {
  const whole = path.includes('/.') ? normalize(path) : path
  return isWithin(whole, folder)
}

/** Copies of the controller's files on the target, for commands that use them. */
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

  /** Replace a controller path by its copy; a word is such a path, or a shell line that contains some. */
  private async replaced(word: string): Promise<string> {
    const { folder, controller } = this.options
    if (isBelow(word, folder) && word !== folder && (await controller.stat(word))) return this.copyOf(word)
    const named = new Set(
      word.split(/[\s'"`\\;|&<>()$=,:]+/).filter((part) => part !== folder && isBelow(part, folder)),
    )
    let text = word
    for (const path of [...named].sort((one, other) => other.length - one.length)) {
      if (await controller.stat(path)) text = text.replaceAll(path, await this.copyOf(path))
    }
    return text
  }

  private async copyOf(path: string): Promise<string> {
    const { folder, controller, target } = this.options
    const stat = await controller.stat(path)
    this.root ??= target.sessionFolder?.() ?? target.tempDirectory({ prefix: '.brine-' })
    const copy = `${await this.root}${normalize(path).slice(folder.length)}`
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
