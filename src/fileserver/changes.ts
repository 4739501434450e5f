// Changes below the roots since the last call, as event data of an update. The modification times are in the cache in
// Salt's form, so that changes while no master ran are included.
import { join } from 'node:path/posix'
import { recover } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, dictFrom } from '../data/mod.ts'
import { type Host, isHostError } from '../host/mod.ts'

type Times = ReadonlyMap<string, number>

const fileOf = (opts: Dict): string => join(option(opts, 'cachedir'), 'roots', 'mtime_map')

async function remembered(opts: Dict, host: Host): Promise<Times> {
  return recover(isHostError, new Map(), async () => {
    const lines = Buffer.from(await host.read(fileOf(opts)))
      .toString()
      .split('\n')
    const entries = lines.map((line) => /^(.*):([\d.]+)$/.exec(line)).filter((found) => found !== null)
    return new Map(entries.map(([, path, time]) => [path!, Number(time)]))
  })
}

async function timesOf(paths: readonly string[], host: Host): Promise<Times> {
  const times = new Map<string, number>()
  for (const path of paths) {
    const facts = await host.stat(path)
    if (facts) times.set(path, facts.mtime)
  }
  return times
}

/** Compare these files with the last ones, and store them. */
export async function rootsChanges(opts: Dict, host: Host, paths: readonly string[]): Promise<Dict> {
  const [before, now] = [await remembered(opts, host), await timesOf(paths, host)]
  const changed = [...before].filter(([path, time]) => now.has(path) && now.get(path) !== time).map(([path]) => path)
  const removed = [...before.keys()].filter((path) => !now.has(path))
  const added = [...now.keys()].filter((path) => !before.has(path))
  const file = fileOf(opts)
  await host.makeDirectory(join(file, '..'), { parents: true })
  await host.write(file, Buffer.from([...now].map(([path, time]) => `${path}:${time}\n`).join('')))
  const files = dictFrom({ changed, removed, added })
  return dictFrom({ changed: changed.length + removed.length + added.length > 0, files, backend: 'roots' })
}
