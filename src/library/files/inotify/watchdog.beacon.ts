// Changes in directories, with the names of Python's watchdog: a file that is created, deleted or written also changes its
// directory, and an event that repeats is reported once.

import { dirname } from 'node:path/posix'
import { lookup } from '../../../base/mod.ts'
import { type Dict, dictFrom, isDict, isList, str, type Value } from '../../../data/mod.ts'
import { defineBeacon, dictOption, remembered } from '../../../sdk/mod.ts'
import { type Change, Watcher } from './files/watcher.ts'

const MASKS: Readonly<Record<string, string>> = lookup({
  created: 'create',
  modified: 'modify',
  deleted: 'delete',
  moved: 'move',
})
const DEFAULT_MASK = Object.values(MASKS)

/** The events of a file and of its directory, by kind of change. */
const OF_FILE: Readonly<Record<string, string>> = lookup({
  create: 'created',
  modify: 'modified',
  attrib: 'modified',
  delete: 'deleted',
  moved_from: 'moved',
})
const OF_DIRECTORY = new Set(['create', 'close_write', 'delete', 'moved_from'])

function problemOf(options: Value): string | undefined {
  if (!isDict(options)) return 'Configuration for watchdog beacon directory path must be a dictionary.'
  const mask = options.get('mask') ?? []
  if (options.has('mask') && !isList(mask)) return 'Configuration for watchdog beacon mask must be list.'
  const isUnknown = [...(mask as Value[])].some((item) => !DEFAULT_MASK.includes(str(item)))
  return isUnknown ? 'Configuration for watchdog beacon contains invalid mask' : undefined
}

function validate(config: Dict): string | undefined {
  if (!config.has('directories')) return 'Configuration for watchdog beacon must include directories.'
  const directories = config.get('directories')!
  if (!isDict(directories)) return 'Configuration for watchdog beacon directories must be a dictionary.'
  return [...directories.values()].map(problemOf).find((problem) => problem !== undefined)
}

const maskOf = (options: Value): string[] => {
  const mask = isDict(options) ? (options.get('mask') ?? null) : null
  return isList(mask) ? [...mask].map(str) : DEFAULT_MASK
}

function* told({ path, file, kinds }: Change, mask: readonly string[]): Generator<Dict> {
  const say = (change: string, of: string): Dict[] =>
    mask.includes(MASKS[change]!) ? [dictFrom({ tag: 'watchdog', path: of, change })] : []
  for (const kind of kinds) {
    const change = OF_FILE[kind]
    if (change !== undefined) yield* say(change, file)
    if (OF_DIRECTORY.has(kind)) yield* say('modified', file === path ? path : dirname(file))
  }
}

const isSame = (one: Dict, other: Dict | undefined): boolean =>
  other !== undefined && one.get('path') === other.get('path') && one.get('change') === other.get('change')

export default defineBeacon({
  name: 'watchdog',
  doc: 'Tells of what comes, goes and changes in directories.',
  validate,
  beacon: async (ctx, config) => {
    const directories = dictOption(config, 'directories')
    const watcher = remembered(ctx, 'watcher', () => new Watcher())
    await watcher.settle()
    await watcher.tellClosed(ctx)
    const all = watcher.changes.splice(0).flatMap((change) => [...told(change, maskOf(directories.get(change.path)!))])
    for (const path of directories.keys()) await watcher.watch(ctx, str(path))
    return all.filter((event, index) => !isSame(event, all[index - 1]))
  },
})
