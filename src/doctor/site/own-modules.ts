// The site's own modules: files of `_modules`, `_states` and the like in the roots, their synced copies, and installed
// Salt extensions. Their texts are read; none of them is run.
import { join } from 'node:path'
import { folderNames } from '../../base/mod.ts'
import type { Dict } from '../../data/mod.ts'
import {
  type FamilyName,
  installedExtensions,
  type ModuleFile,
  moduleFolders,
  modulesInFolder,
  readModule,
} from '../../python/mod.ts'
import { textOfFile } from './read-bounded.ts'
import type { SiteTree } from './site-tree.ts'

const FAMILIES: readonly FamilyName[] = [
  ...(['auth', 'beacons', 'cache', 'clouds', 'engines', 'executors', 'fileserver', 'grains', 'matchers'] as const),
  ...(['modules', 'netapi', 'output', 'pillar', 'queues', 'renderers', 'resources', 'returners', 'roster'] as const),
  ...(['runners', 'sdb', 'serializers', 'states', 'thorium', 'tokens', 'tops', 'utils', 'wheel', 'wrapper'] as const),
]

export interface OwnModule {
  family: FamilyName
  /** The names it may serve under. */
  names: readonly string[]
  file: ModuleFile
}

export class OwnModules {
  readonly modules: readonly OwnModule[]
  private readonly names = new Map<FamilyName, Set<string>>()

  constructor(trees: readonly SiteTree[], options: readonly Dict[]) {
    const found = new Map<string, OwnModule>()
    for (const family of FAMILIES) {
      const own = [...inTrees(trees, family), ...options.flatMap((opts) => configured(opts, family))]
      for (const file of own) if (!found.has(file.path)) found.set(file.path, { family, names: namesOf(file), file })
    }
    this.modules = [...found.values()]
    for (const family of FAMILIES) {
      const own = this.modules.filter((module) => module.family === family).flatMap(({ names }) => names)
      this.names.set(family, new Set([...own, ...installed(family).flatMap(namesOf)]))
    }
  }

  /** Whether a module with this name may exist. */
  has(family: FamilyName, name: string): boolean {
    return this.names.get(family)?.has(name) ?? false
  }

  namesOf(family: FamilyName): string[] {
    return [...(this.names.get(family) ?? [])]
  }
}

function inTrees(trees: readonly SiteTree[], family: FamilyName): ModuleFile[] {
  const roots = trees.flatMap((tree) => [...tree.roots.values()].flat())
  return [...new Set(roots)].flatMap((root) => {
    // names first, since most roots have none
    return folderNames(root).includes(`_${family}`) ? modulesInFolder(join(root, `_${family}`)) : []
  })
}

/** Return modules in folders of the options. */
const configured = (opts: Dict, family: FamilyName): ModuleFile[] =>
  moduleFolders(opts, family).flatMap(modulesInFolder)

/**
 * Return modules in packages of the default Python: a configuration under test must not choose the program to start.
 */
const installed = (family: FamilyName): ModuleFile[] =>
  installedExtensions(new Map())
    .flatMap(({ folders }) => folders.get(family) ?? [])
    .flatMap(modulesInFolder)

/** Return the name of the file and the virtual names in its text. */
function namesOf({ path, name, language }: ModuleFile): string[] {
  const text = language === 'python' ? textOfFile(path.endsWith('.py') ? path : join(path, '__init__.py')) : undefined
  return text === undefined ? [name] : [...new Set([name, ...readModule(text, name).names])]
}
