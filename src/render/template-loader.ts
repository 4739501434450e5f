// How `import`, `include` and `extends` find templates in Salt: by their path in the file tree, or, with `./` or `../`,
// relative to `tpldir`. Each load sets `tpldir` and its like for later templates.
import { dirname, isAbsolute, join, normalize, relative } from 'node:path/posix'
import { option } from '../config/mod.ts'
import { type Dict, textOf } from '../data/mod.ts'
import type { Environment, LoadedTemplate, TemplateLoader } from '../jinja/mod.ts'
import type { FileTree } from './file-roots.ts'

export interface SaltLoaderOptions {
  tree: FileTree
  saltenv: string
  opts: Dict
  /** Pillar templates are named by their real path in errors, others by that of the cache which Salt makes. */
  pillar?: boolean
}

export class SaltTemplateLoader implements TemplateLoader {
  /** Texts by the path that errors show. */
  readonly sources = new Map<string, string>()
  /** The real file behind that path. */
  readonly files = new Map<string, string>()
  private readonly options: SaltLoaderOptions

  constructor(options: SaltLoaderOptions) {
    this.options = options
  }

  async load(name: string, env: Environment): Promise<LoadedTemplate | undefined> {
    const isRelative = /^\.\.?(?:\/|$)/.test(name)
    const path = isRelative ? this.resolved(name, env) : name
    if (path === undefined) return undefined
    const found = await this.options.tree.read(path, this.options.saltenv)
    if (name) announce(env, name, path, isRelative)
    if (!found) return undefined
    const shown = this.options.pillar ? found.file : this.cachePath(path)
    this.sources.set(shown, found.text)
    this.files.set(shown, found.file)
    return { source: found.text, path: shown }
  }

  whereabouts(): string | undefined {
    const { tree, saltenv } = this.options
    const directories = tree.directories?.(saltenv)
    if (directories === undefined) return undefined
    return directories.length > 0
      ? `Looked in ${directories.join(', ')}`
      : `Environment '${saltenv}' has no directories`
  }

  /** Undefined for a path that leaves the tree, or that is relative to nothing. */
  private resolved(name: string, env: Environment): string | undefined {
    const base = textOf(env.globals.get('tpldir') ?? null)
    if (base === undefined) return undefined
    const path = normalize(`${base}/${name}`)
    if (path === '..' || path.startsWith('../')) return undefined
    return this.options.opts.get('file_client') === 'local' && isAbsolute(base) ? relative(base, path) : path
  }

  private cachePath(path: string): string {
    const { opts, saltenv } = this.options
    const cache = textOf(opts.get('_caller_cachedir') ?? null) ?? option(opts, 'cachedir')
    return join(cache, 'files', saltenv, path)
  }
}

function announce(env: Environment, name: string, path: string, isRelative: boolean): void {
  const folder = dirname(path)
  let tpldir = folder === '.' && !path.startsWith('./') ? '' : folder
  if (isRelative) tpldir = textOf(env.globals.get('tpldir') ?? null) ?? tpldir
  env.globals.set('tplfile', isRelative ? name : path)
  env.globals.set('tpldir', tpldir === '' ? '.' : tpldir)
  env.globals.set('tpldot', tpldir.replaceAll('/', '.'))
}
