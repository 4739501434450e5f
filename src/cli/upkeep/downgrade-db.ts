// `brine downgrade-db`: the databases of a master back to an older version, before an older Brine is installed.
import { option } from '../../config/mod.ts'
import { downgradeKept, keptDatabases } from '../../store/mod.ts'
import { isMasterRunning, UpkeepError } from '../../upkeep/mod.ts'
import { COMMAND_CONFIG_DIR, COMMAND_HELP, readMaster, runCommand } from '../brine-command.ts'
import { UsageError } from '../optparse/exit.ts'
import type { Program } from '../optparse/option.ts'
import { processStreams, type Streams } from '../streams.ts'

export const PROGRAM: Program = {
  name: 'brine downgrade-db',
  usage: '[NAME=VERSION ...] [options]',
  description:
    'Take databases of this master one version back, or to the versions that are named. The master must not run.',
  options: [COMMAND_HELP, COMMAND_CONFIG_DIR],
  groups: [],
}

export function run(argv: readonly string[], streams: Streams = processStreams): Promise<number> {
  return runCommand(PROGRAM, argv, streams, async (words) => {
    const wanted = new Map(words.args.map(readPair))
    const opts = await readMaster(words, streams)
    if (await isMasterRunning(opts)) {
      throw new UpkeepError('InTheWay', 'The master runs on this machine', {
        hint: 'Stop salt-master and salt-api first',
      })
    }
    const kept = keptDatabases(option(opts, 'cachedir'), option(opts, 'sqlite_queue_dir'))
    const unknown = [...wanted.keys()].filter((name) => !kept.some(({ schema }) => schema.name === name))
    if (unknown.length > 0) throw new UsageError(`there is no database ${unknown.join(', ')}`)
    for (const database of kept) {
      const { name } = database.schema
      if (wanted.size > 0 && !wanted.has(name)) continue
      const { from, to } = downgradeKept(database, wanted.get(name))
      streams.out(`${database.file}: ${from === to ? `stays at ${from}` : `${from} to ${to}`}\n`)
    }
    return 0
  })
}

function readPair(word: string): [string, string] {
  const [, name, version] = /^(\w+)=(\d+\.\d+)$/.exec(word) ?? []
  if (name === undefined) throw new UsageError(`'${word}' is not NAME=VERSION`)
  return [name, version!]
}
