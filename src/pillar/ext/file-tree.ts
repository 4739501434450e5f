// `file_tree`: directories named after minions and nodegroups, whose files become values and whose folders become
// dicts. Values are bytes; with `template`, files are rendered.
import { isAbsolute, join, normalize } from 'node:path/posix'
import { option } from '../../config/mod.ts'
import {
  contains,
  type Dict,
  decodeBytes,
  fnmatch,
  isList,
  merge,
  str,
  textOf,
  truthy,
  typeError,
  typeName,
  type Value,
} from '../../data/mod.ts'
import { parseShebang } from '../../render/mod.ts'
import { arg, type Bound, defineExtPillar, type ExtPillarContext } from '../../sdk/mod.ts'

const ARGS = {
  root_dir: arg.any('Folder with the folders `hosts` and `nodegroups`', { default: null }),
  follow_dir_links: arg.flag('Whether links to folders are followed', { default: false }),
  debug: arg.flag('Ignored', { default: false }),
  keep_newline: arg.any('Whether the last line end of a file is kept, or globs of the files that keep it', {
    default: false,
  }),
  render_default: arg.any('Pipe of renderers for files without a first line that names one', { default: null }),
  renderer_blacklist: arg.any('Renderers that must not be used', { default: null }),
  renderer_whitelist: arg.any('The only renderers that may be used', { default: null }),
  template: arg.any('Whether files are rendered; only True counts', { default: false }),
}

export const fileTree = defineExtPillar({
  name: 'file_tree',
  doc: 'Folders named after minions and nodegroups, whose files are values.',
  args: ARGS,
  run: async (ctx, args) => {
    let pillar: Value = new Map()
    for (const root of roots(ctx, args.root_dir)) {
      pillar = merge(pillar, await new Tree(ctx, args).of(root), { strategy: 'recurse' })
    }
    return pillar
  },
})

/** Return the roots; a relative root is below each of the environment's pillar roots. */
function roots({ opts, log }: ExtPillarContext, given: Value): string[] {
  if (!truthy(given)) {
    log('error', 'file_tree: no root_dir specified')
    return []
  }
  if (textOf(given) === undefined) {
    throw typeError(`expected str, bytes or os.PathLike object, not ${typeName(given)}`)
  }
  const root = str(given)
  if (isAbsolute(root)) return [root]
  const pillarenv = option(opts, 'pillarenv')
  const environments = opts.get('pillar_roots')
  const directories = environments instanceof Map && pillarenv !== null ? environments.get(pillarenv) : undefined
  if (!Array.isArray(directories)) {
    const why = pillarenv === null ? 'pillarenv is not set' : `pillarenv ${str(pillarenv)} has no pillar_roots`
    log('error', `file_tree: root_dir is relative but ${why}`)
    return []
  }
  const each = directories.map((directory) => normalize(join(str(directory), root)))
  return each.filter((directory, i) => directory !== each[i - 1])
}

class Tree {
  private readonly ctx: ExtPillarContext
  private readonly follow: boolean
  private readonly keepNewline: Value
  private readonly template: boolean
  private readonly renderer: Value
  private readonly renderOpts: Dict

  constructor(ctx: ExtPillarContext, args: Bound<typeof ARGS>) {
    this.ctx = ctx
    this.follow = args.follow_dir_links
    this.keepNewline = args.keep_newline
    this.template = args.template === true
    this.renderer = args.render_default
    this.renderOpts = new Map([
      ...ctx.opts,
      ['renderer_blacklist', args.renderer_blacklist],
      ['renderer_whitelist', args.renderer_whitelist],
    ])
  }

  async of(root: string): Promise<Value> {
    const { host, log, minionId } = this.ctx
    if (!(await this.isDirectory(root))) {
      log('error', `file_tree: root_dir ${root} does not exist or is not a directory`)
      return new Map()
    }
    if (typeof this.keepNewline !== 'boolean' && !isList(this.keepNewline)) {
      log('error', `file_tree: keep_newline must be True, False or a list of globs; skipping ${root}`)
      return new Map()
    }
    const groups = await this.nodegroups(join(root, 'nodegroups'))
    const own = join(root, 'hosts', minionId)
    if ((await host.stat(own)) === undefined) return groups
    if (!(await this.isDirectory(own))) {
      log('error', `file_tree: ${own} exists, but is not a directory`)
      return groups
    }
    return merge(groups, await this.directory(own, ''), { strategy: 'recurse' })
  }

  private async nodegroups(directory: string): Promise<Value> {
    const configured = this.ctx.opts.get('nodegroups')
    let pillar: Value = new Map()
    if (!(configured instanceof Map) || configured.size === 0 || !(await this.isDirectory(directory))) return pillar
    for (const name of await this.ctx.host.list(directory)) {
      if (!contains(configured, name) || !(await this.ctx.isMember(configured.get(name)!))) continue
      if (!(await this.isDirectory(join(directory, name)))) continue
      pillar = merge(pillar, await this.directory(join(directory, name), ''), { strategy: 'recurse' })
    }
    return pillar
  }

  private async isDirectory(path: string): Promise<boolean> {
    return (await this.ctx.host.stat(path))?.type === 'directory'
  }

  /** Folders come before files. */
  private async directory(path: string, prefix: string): Promise<Dict> {
    const { host, log } = this.ctx
    const pillar: Dict = new Map()
    const files: string[] = []
    for (const name of await host.list(path)) {
      const inside = join(path, name)
      if (!(await this.isDirectory(inside))) files.push(name)
      else if (!this.follow && (await host.lstat(inside))?.type === 'link') pillar.set(name, new Map())
      else pillar.set(name, await this.directory(inside, `${prefix}${name}/`))
    }
    for (const name of files) {
      const inside = join(path, name)
      if ((await host.stat(inside))?.type !== 'file') log('error', `file_tree: ${inside}: not a regular file`)
      else if (!(await host.access(inside, 'read'))) log('error', `file_tree: Error reading ${inside}`)
      else pillar.set(name, await this.file(inside, prefix === '' ? `./${name}` : prefix + name))
    }
    return pillar
  }

  private async file(path: string, relative: string): Promise<Value> {
    let content = await this.ctx.host.read(path)
    if (content.at(-1) === 0x0a && !this.keepsNewline(relative)) content = content.subarray(0, -1)
    return this.template ? this.rendered(decodeBytes(content), path) : new Uint8Array(content)
  }

  private keepsNewline(relative: string): boolean {
    if (!isList(this.keepNewline)) return this.keepNewline === true
    return this.keepNewline.some((glob) => fnmatch(relative, str(glob)))
  }

  /** Without a pipe, from the text or from `render_default`, nothing is rendered. */
  private async rendered(text: string, path: string): Promise<Value> {
    if (text.trim() === '') return new Map()
    if (parseShebang(text) === undefined && this.renderer === null) return new Map()
    return this.ctx.render(text, { renderer: str(this.renderer ?? ''), opts: this.renderOpts, path })
  }
}
