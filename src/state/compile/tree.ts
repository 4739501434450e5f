// The state tree for the compiler: environments, the SLS names in each, and files. Listings are read once.
import { compareText } from '../../data/mod.ts'
import type { FileTree, TreeFile } from '../../render/mod.ts'

export interface StateTree extends FileTree {
  /** The environments of the file server. */
  envs(): Promise<string[]>
  /** All file paths of an environment. */
  list(saltenv: string): Promise<string[]>
}

export interface SlsFile extends TreeFile {
  /** The path below the root. */
  path: string
}

const INIT = '/init.sls'

/** The SLS names behind paths, sorted. */
function slsNames(paths: readonly string[]): string[] {
  const names = new Set<string>()
  for (const path of paths) {
    if (!path.endsWith('.sls')) continue
    const stem = path.endsWith(INIT) ? path.slice(0, -INIT.length) : path.slice(0, -'.sls'.length)
    names.add(stem.replaceAll('/', '.'))
  }
  return [...names].sort(compareText)
}

export class StateList {
  private readonly tree: StateTree
  private readonly listed: () => Promise<string[]>
  private known: Set<string> | undefined
  private readonly names = new Map<string, string[]>()

  /** `environments` returns the environments that this minion uses. */
  constructor(tree: StateTree, environments: () => Promise<string[]>) {
    this.tree = tree
    this.listed = environments
  }

  async environments(): Promise<Set<string>> {
    this.known ??= new Set(['base', ...(await this.listed())])
    return this.known
  }

  async has(saltenv: string): Promise<boolean> {
    return saltenv === 'base' || (await this.environments()).has(saltenv)
  }

  async of(saltenv: string): Promise<string[]> {
    let names = this.names.get(saltenv)
    if (names === undefined) {
      names = slsNames(await this.tree.list(saltenv))
      this.names.set(saltenv, names)
    }
    return names
  }

  /** The file behind an SLS name. */
  async file(sls: string, saltenv: string): Promise<SlsFile | undefined> {
    const stem = sls.replaceAll('.', '/')
    for (const path of [`${stem}.sls`, `${stem}${INIT}`]) {
      const found = await this.tree.read(path, saltenv)
      if (found) return { ...found, path }
    }
    return undefined
  }
}
